import type { Config } from '../shared/node/config/config.ts';
import { createResponsePromise, type ResponsePromise } from '../shared/node/response-promise/response-promise.ts';

export interface MailSettings {
  readonly siteName: string;
  readonly publicUrl: string;
  readonly bookingUrl: string | undefined;
  readonly linkSecrets: readonly string[];
  readonly from: string;
  readonly sales: readonly string[];
  readonly assignment: Config['mail']['assignment'];
  readonly timeZone: string;
  readonly acknowledges: boolean;
  /** When the weekly report is due, in minutes after the midnight before Monday; undefined: never. */
  readonly reportAt: number | undefined;
  readonly promise: ResponsePromise;
}

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
