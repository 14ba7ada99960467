import type { PageMeta } from '../../../shared/content/page-meta.ts';
import type { Fact, FollowUpState } from '../../../shared/page-state.ts';
import { TaskPage } from '../../components/task-page.tsx';
import styles from './follow-up.module.css';

/** The facts about a request. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ label, value, url }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd dir="auto">{url === undefined ? value : <a href={url}>{value}</a>}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The visitor's message. */
export function Message({ text }: { readonly text: string }) {
  return (
    <section aria-labelledby="message">
      <h2 id="message" className={styles.caption}>
        Message
      </h2>
      <blockquote className={styles.message} dir="auto">
        {text}
      </blockquote>
    </section>
  );
}

/** Earlier requests from the same address or company. */
export function EarlierRequests({ summary, requests }: NonNullable<FollowUpState['earlier']>) {
  return (
    <section className={styles.past} aria-labelledby="earlier">
      <h2 id="earlier" className={styles.caption}>
        Earlier requests
      </h2>
      <p>{summary}.</p>
      <ul className={styles.list}>
        {requests.map(({ id, receivedAt, who, outcome }) => (
          <li key={id}>
            <span dir="auto">{who}</span>: {receivedAt}; {outcome}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A request's history. */
export function History({ history }: Pick<FollowUpState, 'history'>) {
  return (
    <section className={styles.past} aria-labelledby="history">
      <h2 id="history" className={styles.caption}>
        What happened
      </h2>
      <ol className={styles.list}>
        {history.map(({ at, what, detail }) => (
          <li key={`${at} ${what} ${detail}`}>
            {at}: {what}
            {detail && ` ${detail}`}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The page for a link that is broken or expired, or whose request was erased. */
export function DeadLink() {
  return (
    <TaskPage label="Assessment request" title="This link doesn’t work">
      <p>
        Part of it may be missing, it may be older than 90 days, or its request was erased. Open the request from the
        newest email about it.
      </p>
    </TaskPage>
  );
}

/** Returns the metadata with the request's company first in the title, so that sales can tell tabs apart. */
export const addCompanyToTitle = (meta: PageMeta, request: { readonly company: string } | undefined): PageMeta =>
  request ? { ...meta, title: `${request.company} – ${meta.title}` } : meta;
