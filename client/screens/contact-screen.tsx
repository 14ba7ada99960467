import { useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';
import { contactMessages } from '../../shared/contact/contact-messages.ts';
import { isIndustryOption } from '../../shared/contact/industry-options.ts';
import type { Site } from '../../shared/site.ts';
import { RESPONSE_PROMISE } from '../../shared/site.ts';
import type { PageMeta } from '../app/page-meta.ts';
import { ContactCards } from '../features/contact/contact-cards.tsx';
import { ContactForm } from '../features/contact/contact-form.tsx';
import styles from './contact-screen.module.css';

const HEADING_ID = 'contact-heading';

/** The page every other page leads to: the request form and what to expect from it. */
export function Screen() {
  const [query, setQuery] = useSearchParams();
  const industry = query.get('industry');
  const preselected = isIndustryOption(industry) ? industry : undefined;
  const isSent = query.get('sent') === '1';

  // The address of a sent form would show its success again on reload or from a bookmark.
  useEffect(() => {
    if (!isSent) return;
    setQuery(
      (current) => {
        current.delete('sent');

        return current;
      },
      { replace: true, preventScrollReset: true },
    );
  }, [isSent, setQuery]);

  return (
    <div className={styles.page}>
      <header className={styles.intro}>
        <h1 className={styles.heading} id={HEADING_ID} tabIndex={-1}>
          {contactMessages.heading}
        </h1>
        <p className={styles.lead}>
          Tell us a little about your business. We answer {RESPONSE_PROMISE} and find a time to talk.
        </p>
      </header>
      <div className={styles.columns}>
        <ContactForm labelledBy={HEADING_ID} preselected={preselected} isSent={isSent} />
        <aside aria-label="About the assessment">
          <ContactCards />
        </aside>
      </div>
    </div>
  );
}

export function getMeta(site: Site): PageMeta {
  return {
    title: 'Free Business Transformation Assessment',
    description: `Ask ${site.name} for a free business transformation assessment: an opportunities report, an operations audit, a technology roadmap and ROI projections. We answer ${RESPONSE_PROMISE}.`,
  };
}
