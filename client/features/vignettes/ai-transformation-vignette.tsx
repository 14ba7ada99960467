import styles from './ai-transformation-vignette.module.css';
import { Bead, motion, Sheet, text, Vignette } from './vignette.tsx';

/** What an hour a week costs a year: $40 in 46 weeks, as in the estimate on the same page. */
const YEARLY_COST = 1_840;

/** Hours a week of all who do it. */
const tasks = [
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
] as const;

interface TaskRowProps {
  readonly className?: string | undefined;
  readonly name: string;
  readonly hours: number;
  readonly isPlanned?: boolean;
}

function TaskRow({ className = '', name, hours, isPlanned = false }: TaskRowProps) {
  return (
    <div className={`${styles.task} ${className}`}>
      {isPlanned && <Bead className={styles.chosen} />}
      <span className={styles.name}>{name}</span>
      <svg className={`${styles.bar} ${motion.grow}`} aria-hidden="true">
        <rect width={`${hours * 2}%`} height="100%" />
      </svg>
      <span className={styles.hours}>{hours} h</span>
      <span className={styles.cost}>${(hours * YEARLY_COST).toLocaleString('en-US')}</span>
    </div>
  );
}

function Ranking() {
  return (
    <Sheet className={styles.ranking} title="Tasks by yearly cost" note="$40 an hour, 46 weeks">
      {tasks.map((task, index) => (
        <TaskRow key={task.name} className={index < 4 ? '' : styles.background} {...task} />
      ))}
      <TaskRow className={styles.others} name="Six more tasks" hours={64} />
      <div className={`${styles.task} ${text.quiet}`}>
        <span className={styles.name}>
          <s className={`${motion.sweep} ${styles.out}`}>Reading the gas meter</s>
        </span>
        <span className={styles.hours}>1 h</span>
        <span className={`${styles.cost} ${motion.rise} ${styles.verdict}`}>not worth it</span>
      </div>
    </Sheet>
  );
}

const plan = [
  { when: 'First pilot', task: 'Typing in orders', reason: 'Data in order, one department, easy to undo.' },
  { when: 'Next', task: 'Answering routine email', reason: 'Costs the most; needs the order status first.' },
  { when: 'Later', task: 'Quotes from old offers', reason: 'Prices have to be in one place.' },
] as const;

function Plan() {
  return (
    <Sheet className={`${styles.plan} ${motion.rise}`} title="Plan for the year">
      {plan.map(({ when, task, reason }) => (
        <div key={when} className={`${styles.item} ${motion.rise}`}>
          <span className={styles.when}>{when}</span>
          <b>{task}</b>
          <span className={text.muted}>{reason}</span>
        </div>
      ))}
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.stage}
      label="Eleven tasks are ranked by what they cost a year; three of them become a plan with a first pilot, a next and a later one, and the last is crossed out as not worth it."
    >
      <Ranking />
      <Plan />
    </Vignette>
  );
}
