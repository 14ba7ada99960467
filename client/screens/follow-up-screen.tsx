import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import type { PageState } from '../../shared/page-state.ts';
import type { Site } from '../../shared/site.ts';
import { usePageState } from '../app/page-state.tsx';
import { TaskPage } from '../components/task-page.tsx';
import { addCompanyToTitle, DeadLink, EarlierRequests, Facts, History, Message } from '../features/follow-up/follow-up-facts.tsx';
import { Outcomes } from '../features/follow-up/follow-up-forms.tsx';
import { Reader, Status } from '../features/follow-up/follow-up-status.tsx';

/** The page behind the link in an email to sales. Every action needs a button, because email scanners open links. */
export function Screen() {
  const { followUp } = usePageState();
  if (!followUp) return <DeadLink />;
  const { company, message, earlier, history, choices, answerBy, assignedTo } = followUp;
  const facts = [
    { label: choices?.isPromiseAhead === false ? 'Overdue since' : 'Answer by', value: answerBy },
    ...(assignedTo === null ? [] : [{ label: 'Assigned to', value: assignedTo }]),
    ...followUp.facts,
  ];

  return (
    <TaskPage label="Assessment request" title={company}>
      <Reader {...followUp} />
      {choices ? <Outcomes {...followUp} choices={choices} /> : <Status {...followUp} />}
      <Facts facts={facts} />
      {message && <Message text={message} />}
      {earlier && <EarlierRequests {...earlier} />}
      {history.length > 0 && <History history={history} />}
    </TaskPage>
  );
}

export function getMeta(site: Site, { followUp }: PageState): PageMeta {
  return addCompanyToTitle(makeStaticPageMeta(site).followUp, followUp);
}
