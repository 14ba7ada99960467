import type { Config } from '../shared/node/config/config.ts';
import { createResponsePromise } from '../shared/node/response-promise/response-promise.ts';

export type MailSettings = Readonly<ReturnType<typeof getMailSettings>>;

export const getMailSettings = ({ site, timeZone, mail, followUp, linkSecrets }: Config) => ({
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
