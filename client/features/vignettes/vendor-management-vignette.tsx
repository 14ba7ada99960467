import { Finding, Row, Sheet, Stroke, Vignette } from './vignette.tsx';
import styles from './vignette.module.css';

/** Three sites' records of one supplier. Their spend totals $160,000. */
const records = [
  { note: 'Plant 1', title: 'Northside Pumps Inc.', terms: '30 days', spend: '$84,200' },
  { note: 'Plant 2', title: 'North Side Pump', terms: '45 days', spend: '$51,900' },
  { note: 'Head office', title: 'Northside Pumps Inc.', terms: '60 days', spend: '$23,900' },
] as const;

export function Scene() {
  return (
    <Vignette
      className={styles.vendorManagement}
      label="Three records with two spellings and one tax ID turn out to be the same supplier and become one file, which adds up the spend and asks for a new insurance certificate before the old one ends."
    >
      <div className={styles.records}>
        {records.map(({ terms, spend, ...record }) => (
          <Sheet key={record.note} className={styles.record} {...record}>
            <Row name={<Stroke>Tax ID 12-3456789</Stroke>} value={spend} />
            <p className={`${styles.muted} ${styles.wideOnly}`}>Pays in {terms}</p>
          </Sheet>
        ))}
      </div>
      <Sheet place="right" title="Northside Pumps Inc." note="Tax ID 12-3456789">
        <Finding beat={3} className={`${styles.wash} ${styles.merged}`}>
          <span>
            <b>Three records, one supplier.</b> A buyer confirmed it.
          </span>
        </Finding>
        <Row name="Spend this year" value={<b>$160,000</b>} />
        <Row name="Payment terms" value="30, 45, and 60 days" />
        <Row name="Delivered on time" value="46 of 50 orders" />
        <Row name="Insurance certificate" value={<span className={styles.flag}>ends April 30</span>} />
        <Finding beat={4} className={styles.asked}>
          New one requested from the supplier
        </Finding>
      </Sheet>
    </Vignette>
  );
}
