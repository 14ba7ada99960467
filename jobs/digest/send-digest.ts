import { listOpenSubmissions } from '../../shared/node/contact/open-submissions.ts';
import { countDeliveries } from '../../shared/node/deliveries/list-deliveries.ts';
import { claimDigest } from '../../shared/node/periodic-mails/periodic-mail-store.ts';
import { makeRequestLink } from '../follow-up/request-link.ts';
import type { MailSettings } from '../mail-settings.ts';
import { makePeriodicMail, type PeriodicMailServices } from '../periodic-mails/send-periodic-mail.ts';
import { writeDigestMail } from './digest-mail.ts';

export interface DigestSettings
  extends Pick<MailSettings, 'siteName' | 'publicUrl' | 'linkSecrets' | 'sales' | 'timeZone' | 'promise'> {
  /** Minutes after midnight. */
  readonly digestAt: number;
}

/** More would be a mail nobody reads, and one that Gmail cuts off. */
const MAX_ITEMS = 50;

/** Makes the task that sends the daily digest, and none on a day when nothing is open, held or dead. */
export function makeDigest(
  services: PeriodicMailServices,
  settings: DigestSettings,
): () => Promise<void> {
  const { database, timings: { lease, giveUpAfter } } = services;
  const { digestAt, timeZone, promise } = settings;

  return makePeriodicMail(services, {
    name: 'digest',
    sales: settings.sales,
    claim: () => claimDigest(database, { timeZone, digestAt, lease, giveUpAfter }),
    write: async (_claimed, wasRefused) => {
      const open = await listOpenSubmissions(database, { promise, limit: MAX_ITEMS });
      const facts = { ...open, deadCount: await countDeliveries(database, { state: 'dead' }), wasRefused };
      const content = writeDigestMail(facts, {
        ...settings,
        getRequestUrl: (id) => makeRequestLink(id, settings),
      });

      return content && { content };
    },
    alert: 'digest-failed',
  });
}
