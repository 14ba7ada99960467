import { useLocation } from 'react-router-dom';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import type { Site } from '../../shared/site.ts';
import type { FollowUpState } from '../../shared/rendering.ts';
import { usePageState } from '../app/page-state.tsx';
import { NotFoundMessage } from '../components/not-found-message.tsx';
import { SubmitButton } from '../components/submit-button.tsx';
import { TaskPage } from '../components/task-page.tsx';
import styles from './follow-up-screen.module.css';

function Facts({ name, receivedAt, answerBy }: FollowUpState) {
  return (
    <dl className={styles.facts}>
      <dt>Name</dt>
      <dd dir="auto">{name}</dd>
      <dt>Received</dt>
      <dd>{receivedAt}</dd>
      <dt>Answer by</dt>
      <dd>{answerBy}</dd>
    </dl>
  );
}

function Task({ company, contactedAt, isMailUnderWay }: FollowUpState) {
  const { pathname } = useLocation();
  if (contactedAt !== null) {
    return (
      <p className={styles.done} role="status">
        Marked as contacted on {contactedAt}.{' '}
        {isMailUnderWay
          ? 'A mail about this request is being sent right now and can’t be stopped any more. No other will be sent.'
          : 'No further mail about this request will be sent.'}
      </p>
    );
  }

  return (
    <>
      <p>
        Have you been in touch with <strong>{company}</strong>? Mark the request as contacted, and
        no further mail about it will be sent.
      </p>
      <form method="post" action={pathname}>
        <SubmitButton>Mark as contacted</SubmitButton>
      </form>
    </>
  );
}

/** The page behind the link in a mail to sales. Mail scanners open links, hence the button. */
export function Screen() {
  const { followUp } = usePageState();
  if (!followUp) return <NotFoundMessage />;

  return (
    <TaskPage label="Assessment request" title={followUp.company}>
      <Facts {...followUp} />
      <Task {...followUp} />
    </TaskPage>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).followUp;
}
