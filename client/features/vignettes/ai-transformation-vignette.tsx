import { Bead, Item, Sheet, Vignette } from './vignette.tsx';
import styles from './vignette.module.css';

/** Yearly cost in dollars of one hour a week: $40 × 46 weeks, as in the page's estimate. */
const YEARLY_COST = 1_840;

interface Task {
  readonly name: string;
  /** Hours per week for the whole team. */
  readonly hours: number;
  readonly isPlanned?: boolean;
  readonly className?: string | undefined;
}

const tasks: readonly Task[] = [
  { name: 'Answering routine email', hours: 46, isPlanned: true },
  { name: 'Typing in orders', hours: 38, isPlanned: true },
  { name: 'Quotes from old offers', hours: 27, isPlanned: true },
  { name: 'Matching invoices', hours: 22 },
  { name: 'Monthly commentary', hours: 18 },
  { name: 'Demand forecast', hours: 14 },
  { name: 'Searching old files', hours: 11 },
  { name: 'Shift sheets', hours: 9 },
  { name: 'Questions about HR rules', hours: 7 },
  { name: 'Minutes of meetings', hours: 5 },
];

function Hours({ hours }: Pick<Task, 'hours'>) {
  return <span className={`${styles.value} ${styles.hours} ${styles.wideOnly}`}>{hours} h</span>;
}

function TaskRow({ name, hours, isPlanned, className = '' }: Task) {
  return (
    <div className={`${styles.row} ${styles.task} ${className}`}>
      {isPlanned && <Bead beat={2} />}
      <span className={styles.name}>{name}</span>
      <svg className={`${styles.bar} ${styles.wideOnly}`} aria-hidden="true">
        <rect width={`${hours * 2}%`} height="100%" />
      </svg>
      <Hours hours={hours} />
      <span className={`${styles.value} ${styles.cost}`}>${(hours * YEARLY_COST).toLocaleString('en-US')}</span>
    </div>
  );
}

function Ranking() {
  return (
    <Sheet place="first" title="Tasks by yearly cost" note="$40 an hour, 46 weeks">
      {tasks.map((task, index) => (
        <TaskRow key={task.name} className={index < 3 ? '' : styles.wideOnly} {...task} />
      ))}
      <TaskRow className={styles.narrowOnly} name="Seven more tasks" hours={86} />
      <div className={`${styles.row} ${styles.task} ${styles.quiet}`}>
        <span className={styles.name}>
          <s className={`${styles.out} ${styles.stroke}`}>Reading the gas meter</s>
        </span>
        <Hours hours={1} />
        <span>not worth it</span>
      </div>
    </Sheet>
  );
}

const plan = [
  { when: 'First pilot', title: 'Typing in orders', reason: 'Data in order, one department, easy to undo.' },
  { when: 'Next', title: 'Answering routine email', reason: 'Costs the most; needs the order status first.' },
  { when: 'Later', title: 'Quotes from old offers', reason: 'Prices have to be in one place.' },
] as const;

export function Scene() {
  return (
    <Vignette
      className={styles.aiTransformation}
      label="Eleven tasks are ranked by what they cost a year; three of them become a plan with a first pilot, a next step, and a later one, and the last is crossed out as not worth it."
    >
      <Ranking />
      <Sheet place="right" title="Plan for the year">
        {plan.map(({ when, ...item }, index) => (
          <Item key={when} className={index === 0 ? styles.wash : ''} mark={<span className={styles.tag}>{when}</span>} {...item} />
        ))}
      </Sheet>
    </Vignette>
  );
}
