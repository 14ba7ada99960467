import { useLocation } from 'react-router-dom';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import type { HeldRequestContent, HeldRequestState, PageState } from '../../shared/page-state.ts';
import type { Site } from '../../shared/site.ts';
import { usePageState } from '../app/page-state.tsx';
import { SubmitButton } from '../components/submit-button.tsx';
import { TaskPage } from '../components/task-page.tsx';
import { VisuallyHidden } from '../components/visually-hidden.tsx';
import { addCompanyToTitle, DeadLink, Facts, Message } from '../features/follow-up/follow-up-facts.tsx';
import shared from '../components/shared.module.css';
import styles from '../features/follow-up/follow-up.module.css';

const listFacts = ({ name, receivedAt, content, answerBy }: HeldRequestState) => [
  { label: 'Name', value: name },
  ...(content?.rows ?? []),
  { label: 'Received', value: receivedAt },
  content
    ? { label: 'Held because', value: content.reasons.join(', ') }
    : { label: 'Answer by', value: answerBy },
];

function Decision({ spamAt, erasedAt }: HeldRequestContent) {
  const { pathname } = useLocation();

  return (
    <>
      <p>
        Is this a real request? If so, sales gets it as a new request, and the time to answer starts now. Spam stays here and
        isn’t emailed again.
      </p>
      <form className={`${styles.buttons} ${shared.notPrinted}`} method="post" action={pathname}>
        <SubmitButton name="action" value="release">
          This is a request
        </SubmitButton>
        {spamAt === null && (
          <SubmitButton variant="outline" name="action" value="spam">
            This is spam
          </SubmitButton>
        )}
      </form>
      <p className={shared.note}>Unless it is released, it will be erased on {erasedAt}.</p>
    </>
  );
}

/** The decision so far. It is at the top of the page, because a message may be long. */
function Status({ content, releasedAt }: HeldRequestState) {
  if (!content) {
    return (
      <p className={styles.done} role="status">
        Released as a request on {releasedAt}. Sales will get it by email, like every other request.
      </p>
    );
  }

  return (
    content.spamAt !== null && (
      <p className={styles.done} role="status">
        Marked as spam on {content.spamAt}. If that was a mistake, you can still release it below.
      </p>
    )
  );
}

/** The other held requests in the same email, each with a button. */
function Others({ others }: Pick<HeldRequestState, 'others'>) {
  return (
    <section className={styles.past} aria-labelledby="others">
      <h2 id="others" className={styles.caption}>
        Also held
      </h2>
      <ul className={styles.list}>
        {others.map(({ path, company, receivedAt, reasons }) => (
          <li key={path}>
            <a href={path} dir="auto">
              {company}
            </a>
            : {receivedAt}; {reasons.join(', ')}
            <form className={styles.form} method="post" action={path}>
              <SubmitButton variant="outline" name="action" value="release">
                Release<VisuallyHidden> {company}</VisuallyHidden>
              </SubmitButton>
            </form>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The page behind a held request's link. Every action needs a button, because email scanners open links. */
export function Screen() {
  const { heldRequest } = usePageState();
  if (!heldRequest) return <DeadLink />;
  const { company, content } = heldRequest;

  return (
    <TaskPage label={content ? 'Held as possible spam' : 'Assessment request'} title={company}>
      <Status {...heldRequest} />
      {content && <Decision {...content} />}
      <Facts facts={listFacts(heldRequest)} />
      {content?.message && <Message text={content.message} />}
      {heldRequest.others.length > 0 && <Others {...heldRequest} />}
    </TaskPage>
  );
}

export function getMeta(site: Site, { heldRequest }: PageState): PageMeta {
  return addCompanyToTitle(makeStaticPageMeta(site).heldRequest, heldRequest);
}
