import { getAccentClass, type AccentName } from '../../../shared/accents/accents.ts';
import styles from './white-label-platform-vignette.module.css';
import { Bead, motion, Sheet, Vignette } from './vignette.tsx';

interface Product {
  readonly owner: string;
  readonly accent: AccentName;
  readonly className: string | undefined;
  readonly question: string;
  readonly answer: string;
  readonly source: string;
}

/** One screen, in the dress of three owners. */
const products: readonly Product[] = [
  {
    owner: 'Tax advisors',
    accent: 'pink',
    className: styles.serif,
    question: 'Can we write the van off this year?',
    answer: 'Yes, in full, if it was in use before December 31. Keep the mileage log.',
    source: 'Your guide to write-offs, page 12',
  },
  {
    owner: 'Freight auditors',
    accent: 'blue',
    className: styles.sans,
    question: 'Is this fuel surcharge right?',
    answer: 'No. Your contract caps it at 12 percent of the base rate.',
    source: 'Carrier contract, clause 4',
  },
  {
    owner: 'Safety engineers',
    accent: 'orange',
    className: styles.mono,
    question: 'Who has to sign this permit?',
    answer: 'The shift lead. For hot work, the fire watch signs too.',
    source: 'Permit rules, section 3',
  },
];

function ProductScreen({ owner, accent, className, question, answer, source }: Product) {
  return (
    <Sheet className={`${getAccentClass(accent)} ${styles.product} ${className} ${motion.rise}`} title={owner}>
      <b className={styles.question}>{question}</b>
      <p>{answer}</p>
      <span className={styles.source}>{source}</span>
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.stage}
      label="Three firms offer their clients the same answer screen, each under its own name, in its own colors and type; all three stand on one platform."
    >
      {products.map((product) => (
        <ProductScreen key={product.owner} {...product} />
      ))}
      <Sheet className={`${styles.base} ${motion.rise}`} title="One platform underneath">
        <Bead className={styles.found} />
        <span>Accounts, permissions, search, document reading, hosting</span>
      </Sheet>
    </Vignette>
  );
}
