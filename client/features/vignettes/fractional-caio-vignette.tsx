import styles from './fractional-caio-vignette.module.css';
import { Bead, motion, Sheet, text, Vignette } from './vignette.tsx';

/** A month of 31 days that begins on a Monday. */
const days = Array.from({ length: 31 }, (_, index) => index + 1);

/** The officer's six days. */
const work = new Map([
  [3, 'Staff asked'],
  [4, 'Vendor chosen'],
  [11, 'Pilot stopped'],
  [17, 'House rules'],
  [24, 'Board paper'],
  [25, 'Lead trained'],
]);

function Day({ day }: { readonly day: number }) {
  const task = work.get(day);
  if (task === undefined) return <span>{day}</span>;

  return (
    <span className={`${styles.present} ${motion.rise}`}>
      {day}
      <b className={styles.task}>{task}</b>
    </span>
  );
}

function Calendar() {
  return (
    <Sheet className={styles.calendar} title="March" note="your Chief AI Officer: 6 days">
      <div className={styles.days}>
        {['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'].map((name) => (
          <span key={name} className={styles.weekday}>
            {name}
          </span>
        ))}
        <span />
        {days.map((day) => (
          <Day key={day} day={day} />
        ))}
      </div>
    </Sheet>
  );
}

const decisions = [
  { day: 4, title: 'Vendor chosen', reason: 'Of three, tried on your own documents.' },
  { day: 11, title: 'Pilot stopped', reason: 'In the test one answer in five was wrong.' },
  { day: 24, title: 'Board paper approved', reason: 'One page: goals, spending limit, who decides.' },
] as const;

function Log() {
  return (
    <Sheet className={`${styles.log} ${motion.rise}`} title="Decisions" note="March">
      {decisions.map(({ day, title, reason }) => (
        <div key={day} className={`${styles.decision} ${motion.rise}`}>
          <span className={styles.date}>{day}</span>
          <b>{title}</b>
          <span className={text.muted}>{reason}</span>
        </div>
      ))}
      <div className={`${styles.next} ${motion.rise}`}>
        <Bead className={styles.decided} />
        <span>One owner for every AI question, six days a month.</span>
      </div>
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.stage}
      label="In a month’s calendar six days belong to the Chief AI Officer; on them a vendor is chosen, a pilot is stopped, and a board paper is approved, and each decision is in a log with its reason."
    >
      <Calendar />
      <Log />
    </Vignette>
  );
}
