import { formatTime } from '../../shared/format-time.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import type { SubmissionEvent } from '../../shared/node/contact/submission-events.ts';
import { nameEvent } from '../../shared/node/follow-up/submission-history.ts';
import type { MailContent } from '../../shared/node/mail/mail-content.ts';
import type { MailSettings } from '../mail-settings.ts';
import { makeSubject, COMPANY_PLACEHOLDER } from './follow-up-mail.ts';

interface OutcomeContext extends Pick<MailSettings, 'siteName' | 'timeZone'> {
  readonly requestUrl: string;
  /** Whether this mail omits the visitor's text, because the mail server refused one that contained it. */
  readonly wasRefused: boolean;
}

const NO_MORE_REMINDERS = 'No more reminders will be sent.';

/** Writes a sentence about an action, without its subject, which the caller adds. */
function describeOutcome({ what, by, until, details }: SubmissionEvent, timeZone: string): string {
  switch (what) {
    case 'snooze':
      return `put this request off until ${until ? formatTime(until, timeZone) : 'later'}.`;
    case 'assign':
    case 'rotate':
      return details.to === by ? 'took this request.' : `handed this request to ${details.to ?? 'a colleague'}.`;
    case 'unfit':
      return `marked this request as not a fit. ${NO_MORE_REMINDERS}`;
    case 'contacted':
      return `marked this request as contacted. ${NO_MORE_REMINDERS}`;
    case 'asked-again':
      return 'sent another request.';
  }
}

const QUOTED =
  'If this wasn’t one of you, a quoted mail has leaked the link: undo it. Keep this mail within sales, because its link also shows colleagues and earlier requests.';

/** Writes the heading, first sentence and note. */
function writeHeadingAndLead(event: SubmissionEvent, timeZone: string) {
  const { by, details, undoneAt, undoneBy } = event;
  const name = nameEvent(event);
  if (undoneAt) return { heading: `Undone: ${name}`, lead: `${undoneBy ?? 'Someone'} undid ‘${name}’.`, note: 'The request is as it was before.' };
  const done = describeOutcome(event, timeZone);
  if (event.what === 'asked-again') {
    return { heading: name, lead: `The same address or company ${done}`, note: 'Agree on who answers, so that the visitor hears from one of you.' };
  }

  return details.isKnown
    ? { heading: name, lead: `${by ?? 'Someone in sales'} ${done}`, note: 'If that was a mistake, undo it on the request’s page.' }
    : { heading: name, lead: `Someone ${by === null ? 'using the link in a mail' : `acting as ${by}`} ${done}`, note: QUOTED };
}

/** Writes the mail to sales about an event or its undo. */
export function writeOutcomeMail(
  submission: Submission,
  event: SubmissionEvent,
  { siteName, timeZone, requestUrl, wasRefused }: OutcomeContext,
): MailContent {
  const { name, company } = submission;
  const { at, details, undoneAt } = event;
  const { heading, ...words } = writeHeadingAndLead(event, timeZone);
  const typed = [
    { label: 'Name', value: name },
    { label: 'Company', value: company },
    ...(details.reason ? [{ label: 'Reason', value: details.reason }] : []),
  ];

  return {
    siteName,
    subject: makeSubject(siteName, heading, wasRefused ? COMPANY_PLACEHOLDER : company),
    preview: wasRefused ? heading : `${name}, ${company}`,
    heading,
    ...words,
    highlight: null,
    rows: [...(wasRefused ? [] : typed), { label: 'When', value: formatTime(undoneAt ?? at, timeZone), isTrusted: true }],
    message: null,
    link: { label: event.what === 'asked-again' ? 'Open the new request' : 'Open request or undo', url: requestUrl },
    sections: [],
    noteLink: null,
  };
}
