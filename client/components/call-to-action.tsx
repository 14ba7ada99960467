import { useId } from 'react';
import { pathTo } from '../../shared/paths.ts';
import { ButtonLink } from './button-link.tsx';
import styles from './call-to-action.module.css';

interface CallToActionProps {
  readonly heading: string;
  readonly text: string;
  readonly buttonLabel: string;
}

/** The green band a page ends with; leads to the contact page. */
export function CallToAction({ heading, text, buttonLabel }: CallToActionProps) {
  const headingId = useId();

  return (
    <section className={styles.band} aria-labelledby={headingId}>
      <div className={styles.inner}>
        <h2 id={headingId}>{heading}</h2>
        <p className={styles.text}>{text}</p>
        <ButtonLink to={pathTo.contact()} variant="light">
          {buttonLabel}
        </ButtonLink>
      </div>
    </section>
  );
}
