import { formatTime } from '../../format-time.ts';
import type { AlertText } from '../logging/alert-list.ts';
import type { AlertDetails } from '../logging/raised-alerts.ts';
import type { MailContent } from '../mail/mail-content.ts';
import type { ChatMessage } from '../outbound/chat-message.ts';

export interface AlertNotice extends AlertText {
  readonly name: string;
  /** The sentence of the log line; empty where it has none. */
  readonly message: string;
  readonly details: AlertDetails;
  readonly firstRaisedAt: Date;
  readonly lastRaisedAt: Date;
  /** Times it was raised since the last notice. */
  readonly count: number;
}

interface NoticeContext {
  readonly siteName: string;
  readonly timeZone: string;
}

/** Commands are in backticks, which a mail shows as they are. */
const quoteCommands = (text: string) => text.replace(/`([^`]+)`/g, '‘$1’');

const makeSubject = ({ name }: AlertNotice, { siteName }: NoticeContext) => `[${siteName}] Alert: ${name}`;

const describeCount = ({ count }: AlertNotice) => (count === 1 ? 'once' : `${count} times`);

/** Writes the mail about an alert: what happened, since when, how often, and what to do. */
export function writeAlertMail(notice: AlertNotice, context: NoticeContext): MailContent {
  const { name, title, message, details, firstRaisedAt, lastRaisedAt } = notice;
  const show = (time: Date) => formatTime(time, context.timeZone, 'short');

  return {
    siteName: context.siteName,
    subject: makeSubject(notice, context),
    preview: title,
    heading: `Alert: ${name}`,
    // The plain text part has no heading.
    lead: `${title} ${quoteCommands(notice.action)}`,
    highlight: { label: 'Since', value: show(firstRaisedAt), isUrgent: true },
    rows: [
      { label: 'Last time', value: show(lastRaisedAt) },
      { label: 'Since the last mail', value: describeCount(notice) },
      ...(message === '' ? [] : [{ label: 'Log line', value: message }]),
      ...Object.entries(details).map(([label, value]) => ({ label, value: String(value) })),
    ],
    message: null,
    link: null,
    sections: [],
    note: 'Each alert is mailed at most once an hour. docs/operations/alerts.md explains all of them; the logs have every occurrence.',
    noteLink: null,
  };
}

/** Writes the post about an alert, for a chat or a program. */
export function writeAlertPost(notice: AlertNotice, context: NoticeContext): ChatMessage {
  const { name, title, action, message, details, firstRaisedAt, lastRaisedAt, count } = notice;
  const since = formatTime(firstRaisedAt, context.timeZone, 'short');
  const shown = Object.entries(details).map(([label, value]) => `${label}: ${String(value)}`);

  return {
    title: makeSubject(notice, context),
    lines: [title, `Since ${since}, ${describeCount(notice)}.`, action, shown.join(', ')].filter((line) => line !== ''),
    link: null,
    isUrgent: true,
    data: {
      site: context.siteName,
      alert: name,
      title,
      action,
      message,
      details,
      count,
      first_raised_at: firstRaisedAt.toISOString(),
      last_raised_at: lastRaisedAt.toISOString(),
    },
  };
}
