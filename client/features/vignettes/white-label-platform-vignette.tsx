import { getAccentClass } from '../../../shared/accents/accents.ts';
import { Bead, Sheet, Vignette } from './vignette.tsx';
import styles from './vignette.module.css';

/** The same screen in three firms' designs. */
const products = [
  {
    title: 'Tax advisors',
    accent: 'pink',
    dress: 'serif',
    question: 'Can we write the van off this year?',
    answer: 'Yes, in full, if it was in use before December 31. Keep the mileage log.',
    source: 'Your guide to write-offs, page 12',
  },
  {
    title: 'Freight auditors',
    accent: 'blue',
    dress: 'sans',
    question: 'Is this fuel surcharge right?',
    answer: 'No. Your contract caps it at 12 percent of the base rate.',
    source: 'Carrier contract, clause 4',
  },
  {
    title: 'Safety engineers',
    accent: 'orange',
    dress: 'mono',
    question: 'Who has to sign this permit?',
    answer: 'The shift lead. For hot work, the fire watch signs too.',
    source: 'Permit rules, section 3',
  },
] as const;

export function Scene() {
  return (
    <Vignette
      className={styles.whiteLabelPlatform}
      label="Three firms offer their clients the same answer screen, each under its own name, in its own colors and type; all three run on one platform."
    >
      {products.map(({ title, accent, dress, question, answer, source }) => (
        <Sheet key={title} className={`${getAccentClass(accent)} ${styles.product} ${styles[dress]}`} title={title}>
          <b className={styles.question}>{question}</b>
          <p>{answer}</p>
          <span className={`${styles.source} ${styles.wideOnly}`}>{source}</span>
        </Sheet>
      ))}
      <Sheet className={styles.base} title="One platform underneath">
        <Bead beat={2} className={styles.core} />
        <span>Accounts, permissions, search, document reading, hosting</span>
      </Sheet>
    </Vignette>
  );
}
