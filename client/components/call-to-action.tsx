import { useId } from 'react';
import { getAccentClass } from '../../shared/accents/accents.ts';
import { pathTo } from '../../shared/paths.ts';
import { ButtonLink } from './button-link.tsx';
import styles from './call-to-action.module.css';

interface CallToActionProps {
  readonly heading: string;
  readonly text: string;
  readonly buttonLabel?: string;
}

/** The brand-colored band at the end of a page, with a link to the contact page. */
export function CallToAction({
  heading,
  text,
  buttonLabel = 'Get Your Free Assessment Today',
}: CallToActionProps) {
  const headingId = useId();

  return (
    <section className={`${getAccentClass('brand')} ${styles.band}`} aria-labelledby={headingId}>
      <div className={styles.inner}>
        <h2 id={headingId}>{heading}</h2>
        <p className={styles.text}>{text}</p>
        <ButtonLink href={pathTo.contact()} variant="light">
          {buttonLabel}
        </ButtonLink>
      </div>
    </section>
  );
}
