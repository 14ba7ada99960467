import { Finding, Item, Sheet, Vignette } from './vignette.tsx';
import styles from './vignette.module.css';

/** A month of 31 days that starts on a Monday. */
const days = Array.from({ length: 31 }, (_, index) => index + 1);

/** The officer's six working days. */
const work = new Map([
  [3, 'Staff survey'],
  [4, 'Vendor chosen'],
  [11, 'Pilot stopped'],
  [17, 'House rules'],
  [24, 'Board paper'],
  [25, 'Lead trained'],
]);

function Calendar() {
  return (
    <Sheet place="first" title="March" note="your Chief AI Officer: 6 days">
      <div className={styles.days}>
        {['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'].map((name) => (
          <span key={name} className={`${styles.day} ${styles.weekday}`}>
            {name}
          </span>
        ))}
        <span className={styles.day} />
        {days.map((day) => (
          <span key={day} className={work.has(day) ? `${styles.day} ${styles.present}` : styles.day}>
            {day}
            {work.has(day) && <b className={`${styles.work} ${styles.wideOnly}`}>{work.get(day)}</b>}
          </span>
        ))}
      </div>
    </Sheet>
  );
}

const decisions = [
  { day: 4, title: 'Vendor chosen', reason: 'The best of three, tested on your own documents.' },
  { day: 11, title: 'Pilot stopped', reason: 'In the test, one answer in five was wrong.' },
  { day: 24, title: 'Board paper approved', reason: 'One page: goals, spending limit, who decides.' },
] as const;

export function Scene() {
  return (
    <Vignette
      className={styles.fractionalCaio}
      label="A calendar marks the Chief AI Officer’s six working days in a month, and a log gives the reason for each decision: a vendor is chosen, a pilot is stopped and a board paper is approved."
    >
      <Calendar />
      <Sheet place="right" title="Decisions" note="March">
        {decisions.map(({ day, ...item }) => (
          <Item key={day} mark={<span className={styles.date}>{day}</span>} {...item} />
        ))}
        <Finding beat={2} className={`${styles.wash} ${styles.owner}`}>
          One owner for every AI question, six days a month.
        </Finding>
      </Sheet>
    </Vignette>
  );
}
