import type { ReactNode } from 'react';
import { RESULTS_NOTE } from '../../components/figure-row.tsx';
import { TYPICAL_SAVINGS, WORKING_WEEKS, type Busywork, type BusyworkCost } from './busywork-cost.ts';
import { writeCounted } from './describe-busywork.ts';
import styles from './estimate.module.css';
import type { VisitorFormat } from './visitor-format.ts';

interface EstimateProps {
  readonly busywork: Busywork;
  readonly cost: BusyworkCost;
  readonly format: VisitorFormat;
}

/** The part that is typically saved, in percent. */
export function TypicalRange() {
  return (
    <span className={styles.range}>
      {TYPICAL_SAVINGS.least}–{TYPICAL_SAVINGS.most}%
    </span>
  );
}

/** The yearly cost as a bar with both ends of what may be saved, each in figures below it. */
function Bar({ cost: { yearlyCost, savings }, format: { writeAmount } }: Omit<EstimateProps, 'busywork'>) {
  const ends = [
    { className: '', label: 'Costs a year', value: yearlyCost },
    { className: styles.least, label: `${TYPICAL_SAVINGS.least}% of it`, value: savings.least },
    { className: styles.most, label: `${TYPICAL_SAVINGS.most}% of it`, value: savings.most },
  ];

  return (
    <>
      <div className={styles.bar} aria-hidden="true">
        <span className={styles.least} />
        <span className={styles.most} />
      </div>
      <dl className={styles.ends}>
        {ends.map(({ className, label, value }) => (
          <div key={label}>
            <dt className={`${styles.label} ${className}`}>{label}</dt>
            <dd className={styles.value}>{writeAmount(value)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const WEEKS_NOTE = '(We take 52 weeks less six for vacation, holidays, and sick days.)';

function TypicalSavings() {
  return (
    <>
      Clients typically see costs fall by <TypicalRange /> in the processes we transform.
    </>
  );
}

/** How a result comes about, while a figure is missing. */
function StepsInWords() {
  return (
    <ol className={styles.steps}>
      <li>People × hours a week each = hours a week.</li>
      <li>
        Hours a week × {WORKING_WEEKS} working weeks = hours a year. {WEEKS_NOTE}
      </li>
      <li>Hours a year × cost of an hour = cost a year.</li>
      <li>
        <TypicalSavings />
      </li>
    </ol>
  );
}

/** How the result comes about, in words. */
function Steps({ busywork, cost, format: { writeNumber, writeAmount } }: EstimateProps) {
  const { people, hoursPerWeek, hourlyCost } = busywork;
  const { weeklyHours, yearlyHours, yearlyCost, savings } = cost;
  const { least, most } = TYPICAL_SAVINGS;
  const writeHours = (hours: number) => writeCounted(writeNumber(hours), 'hour', 'hours');

  if (!Number.isFinite(yearlyCost)) return <StepsInWords />;

  return (
    <ol className={styles.steps}>
      <li>
        {writeCounted(writeNumber(people), 'person', 'people')} × {writeHours(hoursPerWeek)} a week ={' '}
        {writeHours(weeklyHours)} a week.
      </li>
      <li>
        {writeHours(weeklyHours)} × {WORKING_WEEKS} working weeks = {writeHours(yearlyHours)} a year. {WEEKS_NOTE}
      </li>
      <li>
        {writeHours(yearlyHours)} × {writeAmount(hourlyCost)} = {writeAmount(yearlyCost)} a year.
      </li>
      <li>
        <TypicalSavings /> {least}% of{' '}
        {writeAmount(yearlyCost)} is {writeAmount(savings.least)}, and {most}% is {writeAmount(savings.most)}.
      </li>
    </ol>
  );
}

interface EstimateOutcomeProps extends EstimateProps {
  /** The result in words, or what it is an example of. */
  readonly summary: ReactNode;
  /** What can be done with it. */
  readonly children?: ReactNode;
}

/** The result with its bar, how it comes about, and what it is worth. */
export function EstimateOutcome({ summary, children, ...estimate }: EstimateOutcomeProps) {
  return (
    <div className={styles.outcome}>
      <div className={styles.figures}>
        {summary}
        <Bar {...estimate} />
        {children}
      </div>
      <div className={styles.reasons}>
        <Steps {...estimate} />
        <p className={styles.note}>
          Saved hours become money only where pay really goes down or a planned cost is avoided. {RESULTS_NOTE}
        </p>
      </div>
    </div>
  );
}
