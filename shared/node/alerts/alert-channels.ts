import { formatTime } from '../../format-time.ts';
import type { AlertText } from '../logging/alert-list.ts';
import type { AlertDetails } from '../logging/raised-alerts.ts';
import type { MailContent } from '../mail/mail-content.ts';
import { type ChatMessage, getChatFormat, postChatMessage } from '../outbound/chat-message.ts';
import type { Config } from '../config/config.ts';
import { createChildWithoutAlerts, type Logger } from '../logging/logger.ts';
import { createMailer } from '../mail/create-mailer.ts';
import { selectMailboxes } from '../mail/email-address.ts';
import { renderMail } from '../mail/render-mail.ts';
import { classifyResponse } from '../outbound/classify-response.ts';
import { isSuccess, createOutboundClient } from '../outbound/outbound-client.ts';
import type { Timings } from '../config/timings.ts';
import type { SendNotice } from './alert-sender.ts';
import type { AlertChannel } from './alert-store.ts';

export interface AlertNotice extends AlertText {
  readonly name: string;
  /** The log line's message; may be empty. */
  readonly message: string;
  readonly details: AlertDetails;
  readonly firstRaisedAt: Date;
  readonly lastRaisedAt: Date;
  /** How many times the alert has been raised since the last notice. */
  readonly count: number;
}

interface NoticeContext {
  readonly siteName: string;
  readonly timeZone: string;
}

/** Replaces the backticks around commands, because mails have no Markdown. */
const quoteCommands = (text: string) => text.replace(/`([^`]+)`/g, '‘$1’');

const makeSubject = ({ name }: AlertNotice, { siteName }: NoticeContext) => `[${siteName}] Alert: ${name}`;

const describeCount = ({ count }: AlertNotice) => (count === 1 ? 'once' : `${count} times`);

/** Writes the alert mail: what happened, when it started, how often it happened, and what to do. */
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
    note: 'Each alert is mailed at most once an hour. docs/operations/alerts.md explains every alert; the logs show every occurrence.',
    noteLink: null,
  };
}

/** Writes the alert message that is posted to ALERT_URL. */
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

type AlertSenders = { readonly mail: SendNotice } & { readonly [Channel in AlertChannel]?: SendNotice };

export type AlertSettings = Pick<Config, 'alerts' | 'mail' | 'site' | 'timeZone' | 'outboundAllow'>;

/** Opens the configured channels. `close` closes their connections. */
export function openAlertSenders(
  { alerts, mail, site, timeZone, outboundAllow }: AlertSettings,
  smtpTimeouts: Timings['smtp'],
  logger: Logger,
): { readonly senders: AlertSenders; readonly close: () => Promise<void> } {
  // A separate mailer that raises no alerts when it fails, because it would have to send them itself.
  const mailer = createMailer({ mail }, smtpTimeouts, createChildWithoutAlerts(logger));
  const client = createOutboundClient(outboundAllow);
  const context = { siteName: site.name, timeZone };
  const { post } = alerts;

  return {
    senders: {
      mail: async (notice, { key, recipients }, signal) => {
        const to = recipients === null ? alerts.email : selectMailboxes(alerts.email, recipients);
        if (to.length === 0) return [];
        const content = renderMail(writeAlertMail(notice, context));
        const { deferred } = await mailer.send({ key, to, ...content, headers: {} }, { signal });

        return deferred;
      },
      ...(post && {
        post: async (notice, _envelope, signal) => {
          const response = await postChatMessage(post, writeAlertPost(notice, context), client, signal);
          if (!isSuccess(response)) throw classifyResponse(getChatFormat(post), response);

          return [];
        },
      }),
    },
    close: async () => {
      mailer.close();
      await client.close();
    },
  };
}
