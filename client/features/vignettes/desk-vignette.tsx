import { Bead, enter, Item, Sheet, Vignette } from './vignette.tsx';
import styles from './vignette.module.css';

const papers = ['Timesheets', 'Certificate', 'Report', 'Invoice', 'Order', 'Contract', 'Reminder'] as const;

const open = [
  { beat: 4, title: 'Invoice 2041 is held', reason: '$405 above the contract' },
  { beat: 5, title: 'An order is waiting', reason: 'confirm one quantity' },
  { beat: 6, title: 'A certificate expires Friday', reason: 'the supplier has been asked for a new one' },
] as const;

export function Scene() {
  return (
    <Vignette
      className={styles.desk}
      label="A desk full of timesheets, invoices, orders, contracts, and reports becomes a sheet with the three things that need a person; all else is done."
    >
      <div className={styles.papers}>
        {papers.map((name) => (
          <span key={name} className={enter(1, styles.paper)}>
            {name}
          </span>
        ))}
      </div>
      <Sheet place="right" beat={3} title="Monday, 8:00 a.m." note="three things need you">
        {open.map(({ beat, ...item }) => (
          <Item key={beat} className={enter(beat)} mark={<Bead />} {...item} />
        ))}
        <p className={enter(8, styles.wash)}>The rest is read, compared, entered, and filed.</p>
      </Sheet>
    </Vignette>
  );
}
