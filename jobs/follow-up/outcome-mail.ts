import { formatTime } from '../../shared/format-time.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import type { SubmissionEvent } from '../../shared/node/contact/submission-events.ts';
import { eventNames } from '../../shared/node/follow-up/submission-history.ts';
import type { MailContent } from '../../shared/node/mail/mail-content.ts';
import type { MailSettings } from '../mail-settings.ts';
import { makeSubject, UNNAMED } from './follow-up-mail.ts';

interface OutcomeContext extends Pick<MailSettings, 'siteName' | 'timeZone'> {
  readonly requestUrl: string;
  /** Whether the mail server has refused the mail that repeats what was typed: this one has none of it. */
  readonly wasRefused: boolean;
}

const NO_MORE = 'No more reminders will be sent.';

/** What was done, after the words for whoever did it. */
function describeOutcome({ what, until, details }: SubmissionEvent, timeZone: string): string {
  switch (what) {
    case 'snooze':
      return `put this request off until ${until ? formatTime(until, timeZone) : 'later'}.`;
    case 'assign':
    case 'rotate':
      return `handed this request to ${details.to ?? 'a colleague'}.`;
    case 'unfit':
      return `marked this request as not a fit. ${NO_MORE}`;
    case 'contacted':
      return `marked this request as contacted. ${NO_MORE}`;
  }
}

/** Writes the mail that tells sales what was done about a request by a link that may have been quoted. */
export function writeOutcomeMail(
  submission: Submission,
  event: SubmissionEvent,
  { siteName, timeZone, requestUrl, wasRefused }: OutcomeContext,
): MailContent {
  const { name, company } = submission;
  const outcome = eventNames[event.what];
  const { by, at, details } = event;
  const typed = [
    { label: 'Name', value: name },
    { label: 'Company', value: company },
    ...(details.reason ? [{ label: 'Reason', value: details.reason }] : []),
  ];

  return {
    siteName,
    subject: makeSubject(siteName, outcome, wasRefused ? UNNAMED : company),
    preview: wasRefused ? outcome : `${name}, ${company}`,
    heading: outcome,
    lead: `Someone with the link of a mail${by === null ? '' : ` to ${by}`} ${describeOutcome(event, timeZone)}`,
    highlight: null,
    rows: [...(wasRefused ? [] : typed), { label: 'When', value: formatTime(at, timeZone), isOwn: true }],
    message: null,
    link: { label: 'Open request or undo', url: requestUrl },
    sections: [],
    note: 'If this wasn’t one of you, a quoted mail has carried the link outside: undo it. Keep this mail within sales, because its link also shows colleagues and earlier requests.',
    noteLink: null,
  };
}
