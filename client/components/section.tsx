import { useId, type ReactNode } from 'react';
import styles from './section.module.css';

interface SectionProps {
  readonly heading: string;
  /** Sentence under the heading. */
  readonly lead?: string | undefined;
  readonly tone?: 'cream' | 'white' | 'tint' | 'deep';
  /** Where there is room, the heading stands beside the content and stays in view. */
  readonly layout?: 'stacked' | 'split';
  /** Makes the section a link's target. */
  readonly id?: string;
  readonly children: ReactNode;
}

/** One band of a page, with its heading. */
export function Section({
  heading,
  lead,
  tone = 'cream',
  layout = 'stacked',
  id,
  children,
}: SectionProps) {
  const headingId = useId();

  return (
    <section
      className={`${styles.section} ${styles[tone]}`}
      id={id}
      tabIndex={id === undefined ? undefined : -1}
      aria-labelledby={headingId}
    >
      <div className={`${styles.inner} ${styles[layout]}`}>
        <div className={styles.head}>
          <h2 id={headingId}>{heading}</h2>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        <div>{children}</div>
      </div>
    </section>
  );
}
