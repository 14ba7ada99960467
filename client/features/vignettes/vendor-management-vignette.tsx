import styles from './vendor-management-vignette.module.css';
import { Bead, motion, Row, Sheet, text, Vignette } from './vignette.tsx';

/** What three sites entered; together $160,000. */
const records = [
  { site: 'Plant 1', name: 'Northside Pumps Inc.', terms: '30 days', spend: '$84,200' },
  { site: 'Plant 2', name: 'North Side Pump', terms: '45 days', spend: '$51,900' },
  { site: 'Head office', name: 'Northside Pumps Inc.', terms: '60 days', spend: '$23,900' },
] as const;

function Records() {
  return (
    <div className={styles.records}>
      {records.map(({ site, name, terms, spend }) => (
        <Sheet key={site} className={`${styles.record} ${motion.slide}`} title={name} note={site}>
          <Row name={<mark className={`${motion.sweep} ${styles.same}`}>Tax ID 12-3456789</mark>} value={spend} />
          <span className={`${styles.terms} ${text.muted}`}>Pays in {terms}</span>
        </Sheet>
      ))}
    </div>
  );
}

function File() {
  return (
    <Sheet className={`${styles.file} ${motion.rise}`} title="Northside Pumps Inc." note="Tax ID 12-3456789">
      <div className={`${styles.merged} ${motion.rise}`}>
        <Bead className={styles.found} />
        <span>
          <b>Three records, one supplier.</b> A buyer confirmed it.
        </span>
      </div>
      <Row name="Spend this year" value={<b>$160,000</b>} />
      <Row name="Payment terms" value="30, 45, and 60 days" />
      <Row name="Delivered on time" value="46 of 50 orders" />
      <div className={`${styles.expiring} ${motion.rise}`}>
        <Row name="Insurance certificate" value={<span className={text.flag}>ends April 30</span>} />
        <span className={styles.asked}>
          <Bead className={styles.decided} />
          New one requested from the supplier
        </span>
      </div>
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.stage}
      label="Three records with two spellings and one tax ID turn out to be the same supplier and become one file, which adds up the spend and asks for a new insurance certificate before the old one ends."
    >
      <Records />
      <File />
    </Vignette>
  );
}
