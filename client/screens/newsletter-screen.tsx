import { useLocation } from 'react-router-dom';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import type { NewsletterLinkState } from '../../shared/page-state.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';
import { usePageState } from '../app/page-state.tsx';
import { NotFoundMessage } from '../components/not-found-message.tsx';
import { SubmitButton } from '../components/submit-button.tsx';
import { TaskPage } from '../components/task-page.tsx';

interface TaskTexts {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  readonly doneTitle: string;
  readonly doneText: string;
}

/** The texts don't contain the address, because the email may have been forwarded. */
const tasks: Readonly<Record<NewsletterLinkState['task'], TaskTexts>> = {
  confirm: {
    title: 'Confirm your subscription',
    text: 'Do you want to receive our newsletter by email? We won’t send it until you confirm.',
    button: 'Confirm',
    doneTitle: 'You are subscribed',
    doneText: 'Your address is confirmed. The email we sent you contains a link to unsubscribe, which you can use at any time.',
  },
  unsubscribe: {
    title: 'Unsubscribe from the newsletter',
    text: 'Do you want to stop getting our newsletter?',
    button: 'Unsubscribe',
    doneTitle: 'You are unsubscribed',
    doneText: 'You won’t receive any more newsletters from us. You can subscribe again at any time.',
  },
};

function Task({ task, isDone }: NewsletterLinkState) {
  const { pathname } = useLocation();
  const { text, button, doneText } = tasks[task];
  if (isDone) {
    return (
      <>
        <p role="status">{doneText}</p>
        <p>
          <a href={routePatterns.insights}>Go to Insights</a>
        </p>
      </>
    );
  }

  return (
    <>
      <p>{text}</p>
      <form method="post" action={pathname}>
        <SubmitButton>{button}</SubmitButton>
      </form>
    </>
  );
}

/** The pages behind links in newsletter emails. The button is needed because email scanners open links. */
export function Screen() {
  const { newsletterLink } = usePageState();
  if (!newsletterLink) return <NotFoundMessage />;
  const { title, doneTitle } = tasks[newsletterLink.task];

  return (
    <TaskPage label="Newsletter" title={newsletterLink.isDone ? doneTitle : title}>
      <Task {...newsletterLink} />
      <p>
        <a href={pathTo.contact()}>Get your free assessment</a>
      </p>
    </TaskPage>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).newsletter;
}
