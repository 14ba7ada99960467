import { useId, type ReactNode } from 'react';
import styles from './section.module.css';

interface SectionProps {
  readonly heading: string;
  /** Sentence under the heading. */
  readonly lead?: string;
  readonly tone?: 'cream' | 'white' | 'deep';
  /** Makes the section a link's target. */
  readonly id?: string;
  readonly children: ReactNode;
}

/** One band of a page, with its heading. */
export function Section({ heading, lead, tone = 'cream', id, children }: SectionProps) {
  const headingId = useId();

  return (
    <section
      className={`${styles.section} ${styles[tone]}`}
      id={id}
      tabIndex={id === undefined ? undefined : -1}
      aria-labelledby={headingId}
    >
      <div className={styles.inner}>
        <div className={styles.head}>
          <h2 id={headingId}>{heading}</h2>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        {children}
      </div>
    </section>
  );
}
