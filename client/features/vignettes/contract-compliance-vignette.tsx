import styles from './contract-compliance-vignette.module.css';
import { Bead, motion, Row, Sheet, text, Vignette } from './vignette.tsx';

function Agreement() {
  return (
    <Sheet className={styles.agreement} title="Supply agreement" note="Packaging film, signed March 3, 2023">
      <p className={`${text.quiet} ${styles.background}`}>
        7.1 Prices are those of Schedule B and include packing, insurance, and delivery to the Buyer’s dock.
      </p>
      <p>
        <Bead className={styles.found} />
        7.2{' '}
        <mark className={`${motion.sweep} ${styles.clause}`}>
          Prices may be adjusted once a calendar year and by no more than three percent,
        </mark>{' '}
        with sixty days’ written notice and the index values attached.
      </p>
      <p className={`${text.quiet} ${styles.background}`}>
        7.3 Invoices are payable within forty-five days of receipt. Late payment bears interest at the rate in
        Schedule D.
      </p>
      <p className={`${text.quiet} ${styles.background}`}>
        8.1 This agreement renews for twelve months unless either party gives notice ninety days before its end.
      </p>
    </Sheet>
  );
}

function Register() {
  return (
    <Sheet className={styles.register} title="Contract register" note="Packaging film">
      <div className={styles.term}>
        <span className={text.muted}>Renews</span>
        <span>Mar 3, notice by Dec 3</span>
        <span className={text.muted}>8.1</span>
      </div>
      <div className={styles.term}>
        <span className={text.muted}>Payment</span>
        <span>45 days</span>
        <span className={text.muted}>7.3</span>
      </div>
      <div className={`${styles.term} ${styles.added} ${motion.rise}`}>
        <span className={text.muted}>Price increase</span>
        <b>at most 3% a year</b>
        <span className={text.muted}>7.2</span>
      </div>
    </Sheet>
  );
}

function Invoice() {
  return (
    <Sheet className={`${styles.invoice} ${motion.rise}`} title="Invoice 2041" note="received today">
      <Row name="Film 12 t, last year" value="$27,000" />
      <Row
        name="Film 12 t, now"
        value={
          <>
            <span className={`${text.flag} ${styles.increase} ${motion.rise}`}>+4.5%</span> $28,215
          </>
        }
      />
      <Row name="Clause 7.2 allows" value="$27,810" />
      <div className={`${styles.held} ${motion.rise}`}>
        <Bead className={styles.decided} />
        <span>
          <b>Held: $405 too much.</b> A letter to the supplier is drafted.
        </span>
      </div>
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.stage}
      label="A clause in a supply agreement that caps price increases at 3% a year becomes a row of the contract register, and an invoice that rose by 4.5% is stopped because of it."
    >
      <Agreement />
      <Register />
      <Invoice />
    </Vignette>
  );
}
