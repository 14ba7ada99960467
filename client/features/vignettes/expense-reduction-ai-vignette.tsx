import styles from './expense-reduction-ai-vignette.module.css';
import { Bead, motion, Row, Sheet, text, Vignette } from './vignette.tsx';

interface Charge {
  readonly name: string;
  readonly amount: string;
  /** Its rate isn't the one agreed on. */
  readonly differs?: boolean;
}

/** Twelve charges; together $1,975.50. */
const charges: readonly Charge[] = [
  { name: 'Mobile lines, 24 × $28.00', amount: '672.00', differs: true },
  { name: 'Data pool, 400 GB', amount: '180.00' },
  { name: 'Fiber, main office', amount: '420.00' },
  { name: 'Fiber, warehouse', amount: '310.00', differs: true },
  { name: 'Voice channels, 30 × $6.00', amount: '180.00' },
  { name: 'Static addresses, 8 × $4.00', amount: '32.00' },
  { name: 'Fax line, closed site', amount: '22.00', differs: true },
  { name: 'Router rental, 4 × $9.00', amount: '36.00' },
  { name: 'Toll-free number', amount: '15.00' },
  { name: 'Roaming package', amount: '45.00' },
  { name: 'Support plan', amount: '60.00' },
  { name: 'Paper bill', amount: '3.50' },
];

function Bill() {
  return (
    <Sheet className={styles.bill} title="Telecom bill" note="March, page 3">
      {charges.map(({ name, amount, differs }) => (
        <Row
          key={name}
          className={`${styles.charge} ${differs ? `${styles.differs} ${motion.sweep}` : text.quiet}`}
          name={name}
          value={amount}
        />
      ))}
      <Row className={`${styles.rest} ${text.quiet}`} name="Eight more charges" value="791.50" />
      <Row className={styles.total} name="Total" value="$1,975.50" />
    </Sheet>
  );
}

function Tariff() {
  return (
    <Sheet className={`${styles.tariff} ${motion.rise}`} title="Agreed tariff" note="in force since February 1">
      <Row name="Mobile line" value="26.00" />
      <Row name="Fiber, warehouse" value="285.00" />
      <Row name="Fax line" value="ended January 31" />
    </Sheet>
  );
}

function Finding() {
  return (
    <Sheet className={`${styles.finding} ${motion.rise}`} title="Finding 1" note="bill and tariff attached">
      <Row name="Mobile lines, 24 × $2.00" value="48.00" />
      <Row name="Fiber, $310.00 − $285.00" value="25.00" />
      <Row name="Fax line, no longer owed" value="22.00" />
      <Row className={`${styles.sum} ${motion.rise}`} name="Too much a month" value="$95.00" />
      <div className={`${styles.result} ${motion.rise}`}>
        <Bead className={styles.found} />
        <b>× 12 = $1,140 a year</b>
        <span className={styles.state}>Proposed</span>
      </div>
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.stage}
      label="Of a telecom bill’s twelve charges three differ from the agreed tariff; the differences, $95 a month, become a finding of $1,140 a year with its evidence attached."
    >
      <Bill />
      <Tariff />
      <Finding />
    </Vignette>
  );
}
