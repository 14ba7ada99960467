import styles from './desk-vignette.module.css';
import { Bead, motion, Sheet, text, Vignette } from './vignette.tsx';

const papers = ['Timesheets', 'Certificate', 'Report', 'Invoice', 'Order', 'Contract', 'Reminder'] as const;

const open = [
  { what: 'Invoice 2041 is held', why: '$405 above the contract' },
  { what: 'An order waits', why: 'one quantity to check' },
  { what: 'A certificate ends', why: 'the supplier was asked for a new one' },
] as const;

export function Scene() {
  return (
    <Vignette
      className={styles.stage}
      label="A desk full of timesheets, invoices, orders, contracts, and reports becomes a sheet with the three things that need a person; all else is done."
    >
      <div className={styles.desk}>
        {papers.map((name) => (
          <span key={name} className={`${styles.paper} ${motion.rise}`}>
            {name}
          </span>
        ))}
      </div>
      <Sheet className={`${styles.list} ${motion.rise}`} title="Monday, 8:00 a.m." note="three things need you">
        {open.map(({ what, why }) => (
          <div key={what} className={`${styles.item} ${motion.rise}`}>
            <Bead />
            <b>{what}</b>
            <span className={text.muted}>{why}</span>
          </div>
        ))}
        <p className={`${styles.rest} ${motion.rise}`}>The rest is read, compared, entered, and filed.</p>
      </Sheet>
    </Vignette>
  );
}
