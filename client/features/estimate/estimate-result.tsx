import type { ReactNode } from 'react';
import { RESULTS_NOTE } from '../../components/figure-row.tsx';
import { estimateBusyworkCost, TYPICAL_SAVINGS, WORKING_WEEKS, countNoun, type Busywork } from './busywork-cost.ts';
import styles from './estimate.module.css';
import type { VisitorFormat } from './visitor-format.ts';

/** The range of typical savings in percent. */
export function TypicalRange() {
  return (
    <span className={styles.range}>
      {TYPICAL_SAVINGS.least}–{TYPICAL_SAVINGS.most}%
    </span>
  );
}

interface EstimateProps {
  readonly busywork: Busywork;
  readonly format: VisitorFormat;
}

/** The yearly cost as a bar with the range of typical savings. */
function Bar({ busywork, format: { writeAmount } }: EstimateProps) {
  const { yearlyCost, savings } = estimateBusyworkCost(busywork);
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

/** The calculation in figures, or in words while an answer is missing. */
function Steps({ busywork, format: { writeNumber, writeAmount } }: EstimateProps) {
  const { people, hoursPerWeek, hourlyCost } = busywork;
  const { weeklyHours, yearlyHours, yearlyCost, savings } = estimateBusyworkCost(busywork);
  const { least, most } = TYPICAL_SAVINGS;
  const isKnown = Number.isFinite(yearlyCost);
  const write = (hours: number) => countNoun(writeNumber(hours), 'hour', 'hours');
  const [week, year, cost, saved] = isKnown
    ? [
        <>
          {countNoun(writeNumber(people), 'person', 'people')} × {write(hoursPerWeek)} a week ={' '}
          {write(weeklyHours)} a week.
        </>,
        <>
          {write(weeklyHours)} × {WORKING_WEEKS} working weeks = {write(yearlyHours)} a year.
        </>,
        <>
          {write(yearlyHours)} × {writeAmount(hourlyCost)} = {writeAmount(yearlyCost)} a year.
        </>,
        <>
          {least}% of {writeAmount(yearlyCost)} is {writeAmount(savings.least)}, and {most}% is {writeAmount(savings.most)}.
        </>,
      ]
    : [
        'People × hours a week each = hours a week.',
        `Hours a week × ${WORKING_WEEKS} working weeks = hours a year.`,
        'Hours a year × cost of an hour = cost a year.',
      ];

  return (
    <ol className={styles.steps}>
      <li>{week}</li>
      <li>{year} (We take 52 weeks less six for vacation, holidays, and sick days.)</li>
      <li>{cost}</li>
      <li>
        Clients typically see costs fall by <TypicalRange /> in the processes we transform. {saved}
      </li>
    </ol>
  );
}

interface EstimateOutcomeProps extends EstimateProps {
  readonly summary: ReactNode;
  /** Actions below the result. */
  readonly children?: ReactNode;
}

/** The result with its bar, its calculation and a note on savings. */
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
          Saved hours become money only where payroll actually goes down or a planned cost is avoided. {RESULTS_NOTE}
        </p>
      </div>
    </div>
  );
}
