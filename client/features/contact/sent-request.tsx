import { contactPage } from '#content/contact-page';
import { useRef, useState, type Ref } from 'react';
import {
  contactFieldNames,
  getFieldTitle,
  writeSuccess,
  type ContactFieldName,
  type ContactFields,
} from '../../../shared/contact/contact-schema.ts';
import { getIndustryLabel } from '../../../shared/contact/industry-options.ts';
import { routePatterns } from '../../../shared/paths.ts';
import { useSite } from '../../app/page-state.tsx';
import { Banner } from '../../components/banner.tsx';
import button from '../../components/button.module.css';
import shared from '../../components/shared.module.css';
import styles from './sent-request.module.css';

const buttonClass = `${button.button} ${button.small} ${button.outline}`;

export interface SentRequestProps {
  readonly bannerRef: Ref<HTMLDivElement>;
  /** Submitted fields, or undefined if the form was posted without scripts. */
  readonly sent: ContactFields | undefined;
}

const getValue = (fields: ContactFields, name: ContactFieldName) =>
  name === 'industry' ? fields.industry && getIndustryLabel(fields.industry) : fields[name];

/** Returns the non-empty fields with their labels. */
function listRows(fields: ContactFields) {
  return contactFieldNames.flatMap((name) => {
    const value = getValue(fields, name);

    return value === null ? [] : [{ title: getFieldTitle(name), value }];
  });
}

type Rows = ReturnType<typeof listRows>;

const formatRows = (rows: Rows) => rows.map(({ title, value }) => `${title}: ${value}`).join('\n');

/** Copies text to the clipboard. Returns false if the browser refuses, e.g. over plain HTTP. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);

    return true;
  } catch {
    return false;
  }
}

/** The submitted fields, for the visitor to copy. They are lost when the page closes. */
function SentFields({ rows }: { rows: Rows }) {
  const listRef = useRef<HTMLDListElement>(null);
  const [copyResult, setCopyResult] = useState('');

  const copy = async () => {
    // Clear the status first, because screen readers announce only changes.
    setCopyResult('');
    const isCopied = await copyText(formatRows(rows));
    if (!isCopied && listRef.current) getSelection()?.selectAllChildren(listRef.current);
    setCopyResult(isCopied ? 'Copied.' : 'Selected: copy it with your keyboard or from the menu.');
  };

  return (
    <section className={shared.stack} aria-labelledby="sent-fields">
      <h2 className={shared.subtitle} id="sent-fields">
        What you sent us
      </h2>
      <dl ref={listRef}>
        {rows.map(({ title, value }) => (
          <div key={title} className={styles.field}>
            <dt className={shared.note}>{title}</dt>
            <dd className={styles.fieldValue}>{value}</dd>
          </div>
        ))}
      </dl>
      <div className={`${styles.actions} ${shared.notPrinted}`}>
        <button className={buttonClass} type="button" onClick={() => void copy()}>
          Copy
        </button>
        <button className={buttonClass} type="button" onClick={() => window.print()}>
          Print
        </button>
        <span role="status">{copyResult}</span>
      </div>
    </section>
  );
}

/** The confirmation that replaces the form: next steps, submitted fields and further reading. */
export function SentRequest({ bannerRef, sent }: SentRequestProps) {
  const site = useSite();
  const { bookingUrl } = site;

  return (
    <div className={`${shared.panel} ${shared.stack} ${styles.sent}`}>
      <Banner ref={bannerRef} tone="success">
        {writeSuccess(site)}
      </Banner>
      {bookingUrl && (
        <p>
          <a href={bookingUrl} rel="noreferrer">
            Or pick a time yourself
          </a>
        </p>
      )}
      <section className={shared.stack} aria-labelledby="next-steps">
        <h2 className={shared.subtitle} id="next-steps">
          What happens next
        </h2>
        <ol className={styles.steps}>
          {[contactPage.firstStep, ...contactPage.process.steps].map(({ title, text }) => (
            <li key={title}>
              <span className={styles.stepTitle}>{title}</span> {text}
            </li>
          ))}
        </ol>
      </section>
      {sent && <SentFields rows={listRows(sent)} />}
      <section className={`${shared.stack} ${shared.notPrinted}`} aria-labelledby="next-pages">
        <h2 className={shared.subtitle} id="next-pages">
          In the meantime
        </h2>
        <ul role="list" className={shared.stack}>
          {contactPage.nextPages.map(({ to, title, text }) => (
            <li key={to}>
              <a href={to}>{title}</a>
              <br />
              {text}
            </li>
          ))}
        </ul>
        <p>
          <a href={routePatterns.contact}>Send another request</a>
        </p>
      </section>
    </div>
  );
}
