import { Finding, Row, Sheet, Vignette } from './vignette.tsx';
import styles from './vignette.module.css';

/** Twelve charges that total $1,975.50. */
const charges = [
  { name: 'Mobile lines, 24 × $28.00', value: '672.00', differs: true },
  { name: 'Data pool, 400 GB', value: '180.00', isOnPhones: true },
  { name: 'Fiber, main office', value: '420.00' },
  { name: 'Fiber, warehouse', value: '310.00', differs: true },
  { name: 'Voice channels, 30 × $6.00', value: '180.00' },
  { name: 'Static addresses, 8 × $4.00', value: '32.00' },
  { name: 'Fax line, closed site', value: '22.00', differs: true },
  { name: 'Router rental, 4 × $9.00', value: '36.00' },
  { name: 'Toll-free number', value: '15.00' },
  { name: 'Roaming package', value: '45.00' },
  { name: 'Support plan', value: '60.00' },
  { name: 'Paper bill', value: '3.50' },
];

function Bill() {
  const { quiet, wideOnly, narrowOnly, stroke, sum } = styles;

  return (
    <Sheet place="first" title="Telecom bill" note="March, page 3">
      {charges.map(({ name, value, differs, isOnPhones }) => {
        const className = differs ? stroke : `${quiet} ${isOnPhones ? '' : wideOnly}`;

        return <Row key={name} className={className} name={name} value={value} />;
      })}
      <Row className={`${quiet} ${narrowOnly}`} name="Eight more charges" value="791.50" />
      <Row className={sum} name="Total" value="$1,975.50" />
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.expenseReductionAi}
      label="Three of the twelve charges on a telecom bill differ from the agreed tariff; the differences, $95 a month, become a finding of $1,140 a year with its evidence attached."
    >
      <Bill />
      <Sheet place="right" title="Agreed tariff" note="in force since February 1">
        <Row name="Mobile line" value="26.00" />
        <Row name="Fiber, warehouse" value="285.00" />
        <Row name="Fax line" value="ended January 31" />
      </Sheet>
      <Sheet place="left" title="Finding 1" note="bill and tariff attached">
        <Row name="Mobile lines, 24 × $2.00" value="48.00" />
        <Row name="Fiber, $310.00 − $285.00" value="25.00" />
        <Row name="Fax line, no longer owed" value="22.00" />
        <Row className={styles.sum} name="Overcharged per month" value="$95.00" />
        <Finding beat={3} className={`${styles.wash} ${styles.result}`}>
          <b>× 12 = $1,140 a year</b>
          <span className={`${styles.value} ${styles.tag}`}>Proposed</span>
        </Finding>
      </Sheet>
    </Vignette>
  );
}
