import type { Config } from '../shared/node/config/config.ts';
import { createResponsePromise, type ResponsePromise } from '../shared/node/response-promise/response-promise.ts';

/** The settings of what is sent to sales and to visitors; each sender takes those that it reads. */
export interface MailSettings {
  readonly siteName: string;
  readonly publicUrl: string;
  /** Where visitors may pick a time themselves; undefined: nowhere. */
  readonly bookingUrl: string | undefined;
  readonly linkSecrets: readonly string[];
  /** The mailbox that sends all mails. */
  readonly from: string;
  /** The mailboxes of sales. */
  readonly sales: readonly string[];
  readonly assignment: Config['mail']['assignment'];
  readonly timeZone: string;
  /** Whether visitors get acknowledgments. */
  readonly acknowledges: boolean;
  /** When the weekly report is due, in minutes after the midnight before Monday; undefined: never. */
  readonly reportAt: number | undefined;
  /** By when sales has promised to answer. */
  readonly promise: ResponsePromise;
}

/** Takes them from the configuration. */
export const getMailSettings = ({ site, timeZone, mail, followUp, linkSecrets }: Config): MailSettings => ({
  siteName: site.name,
  publicUrl: site.publicUrl,
  bookingUrl: site.bookingUrl,
  linkSecrets,
  from: mail.from,
  sales: mail.sales,
  assignment: mail.assignment,
  timeZone,
  reportAt: mail.reportAt,
  acknowledges: followUp.acknowledges,
  promise: createResponsePromise(followUp),
});
