import { Bead, Finding, Row, Sheet, Stroke, Vignette } from './vignette.tsx';
import styles from './vignette.module.css';

function Agreement() {
  return (
    <Sheet place="first" className={styles.letter} title="Supply agreement" note="Packaging film, signed March 3, 2023">
      <p className={`${styles.quiet} ${styles.wideOnly}`}>
        7.1 Prices are those of Schedule B and include packing, insurance, and delivery to the Buyer’s dock.
      </p>
      <p>
        <Bead beat={2} className={styles.found} />
        7.2{' '}
        <Stroke>Prices may be adjusted once a calendar year and by no more than three percent,</Stroke>{' '}
        with sixty days’ written notice and the index values attached.
      </p>
      <p className={`${styles.quiet} ${styles.wideOnly}`}>
        7.3 Invoices are payable within forty-five days of receipt. Late payment bears interest at the rate in
        Schedule D.
      </p>
      <p className={`${styles.quiet} ${styles.wideOnly}`}>
        8.1 This agreement renews for twelve months unless either party gives notice ninety days before its end.
      </p>
    </Sheet>
  );
}

const terms = [
  { name: 'Renews', value: 'Mar 3, notice by Dec 3', clause: '8.1' },
  { name: 'Payment', value: '45 days', clause: '7.3' },
  { name: 'Price increase', value: <b>at most 3% a year</b>, clause: '7.2' },
];

function Register() {
  return (
    <Sheet place="right" title="Contract register" note="Packaging film">
      {terms.map(({ name, value, clause }) => (
        <div key={name} className={`${styles.row} ${styles.term} ${clause === '7.2' ? styles.added : ''}`}>
          <span className={styles.muted}>{name}</span>
          {value}
          <span className={`${styles.muted} ${styles.value} ${styles.wideOnly}`}>{clause}</span>
        </div>
      ))}
    </Sheet>
  );
}

function Invoice() {
  const increase = <span className={`${styles.flag} ${styles.increase}`}>+4.5%</span>;

  return (
    <Sheet place="left" title="Invoice 2041" note="received today">
      <Row name="Film 12 t, last year" value="$27,000" />
      <Row name="Film 12 t, now" value={<>{increase} $28,215</>} />
      <Row name="Clause 7.2 allows" value="$27,810" />
      <Finding beat={4} className={styles.held}>
        <span>
          <b>Held: $405 too much.</b> A letter to the supplier is drafted.
        </span>
      </Finding>
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.contractCompliance}
      label="A clause in a supply agreement that caps price increases at 3% a year becomes a row of the contract register, and an invoice with a 4.5% increase is held as a result."
    >
      <Agreement />
      <Register />
      <Invoice />
    </Vignette>
  );
}
