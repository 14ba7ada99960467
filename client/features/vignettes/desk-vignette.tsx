import { Bead, Item, Sheet, Vignette } from './vignette.tsx';
import styles from './vignette.module.css';

const papers = ['Timesheets', 'Certificate', 'Report', 'Invoice', 'Order', 'Contract', 'Reminder'] as const;

const open = [
  { beat: 2, title: 'Invoice 2041 is held', reason: '$405 above the contract' },
  { beat: 3, title: 'An order is waiting', reason: 'confirm one quantity' },
  { beat: 4, title: 'A certificate expires Friday', reason: 'the supplier has been asked for a new one' },
] as const;

export function Scene() {
  return (
    <Vignette
      className={styles.desk}
      label="A desk full of timesheets, invoices, orders, contracts, and reports becomes a sheet with the three things that need a person; all else is done."
    >
      <div className={styles.papers}>
        {papers.map((name) => (
          <span key={name} className={styles.paper}>
            {name}
          </span>
        ))}
      </div>
      <Sheet place="right" title="Monday, 8:00 a.m." note="three things need you">
        {open.map(({ beat, ...item }) => (
          <Item key={beat} mark={<Bead beat={beat} />} {...item} />
        ))}
        <p className={styles.wash}>The rest is read, compared, entered, and filed.</p>
      </Sheet>
    </Vignette>
  );
}
