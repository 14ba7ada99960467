import { useId, type ReactNode } from 'react';
import type { SectionLook } from '../../shared/content/solution-schema.ts';
import styles from './section.module.css';

interface SectionProps extends SectionLook {
  readonly heading: string;
  readonly lead?: string | undefined;
  /** Shown between the heading and the content. */
  readonly picture?: ReactNode;
  /** Makes the section a link target. */
  readonly id?: string;
  readonly children: ReactNode;
}

/** A page section with its heading. */
export function Section({
  heading,
  lead,
  tone = 'cream',
  layout = 'stacked',
  picture,
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
        {picture}
        <div className={styles.content}>{children}</div>
      </div>
    </section>
  );
}
