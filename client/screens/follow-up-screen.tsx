import { useLocation } from 'react-router-dom';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import type { Site } from '../../shared/site.ts';
import type { FollowUpState } from '../../shared/rendering.ts';
import { usePageState } from '../app/page-state.tsx';
import { NotFoundMessage } from '../components/not-found-message.tsx';
import { SubmitButton } from '../components/submit-button.tsx';
import { TaskPage } from '../components/task-page.tsx';

function Task({ company, isContacted }: FollowUpState) {
  const { pathname } = useLocation();
  if (isContacted) {
    return (
      <p role="status">
        <strong>{company}</strong> is marked as contacted. No further reminder will be sent.
      </p>
    );
  }

  return (
    <>
      <p>
        Have you been in touch with <strong>{company}</strong>? Mark the request as contacted, and
        no further reminder will be sent.
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
      <Task {...followUp} />
    </TaskPage>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).followUp;
}
