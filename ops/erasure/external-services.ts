import { listDigestDays } from '../../shared/node/digest/digest-store.ts';
import type { StoredData } from '../../shared/node/erasure/erase-subject.ts';
import type { Config } from '../../shared/node/config/config.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { ListedDelivery } from '../../shared/node/deliveries/list-deliveries.ts';
import { describeRemote } from '../deliveries/describe-delivery.ts';
import type { Session } from '../cli/session.ts';
import { makeSafe } from '../cli/terminal.ts';

export type DeliveriesBySubmission = ReadonlyMap<string, readonly ListedDelivery[]>;

/**
 * Any try may have left something. One after which the kind was held back isn't counted in
 * `attempts`, but has an error; so has what was called off untried: better a place too many.
 */
const wasTried = ({ attempts, last_error: error, remote_steps: steps }: ListedDelivery): boolean =>
  attempts > 0 || error !== null || Object.keys(steps).length > 0;

const getMailPlace = ({ mail }: Config): string =>
  mail.smtpUrl ? 'mailboxes of sales' : `files in ${mail.directory}`;

function describeExport({ crm }: Config, delivery: ListedDelivery): string {
  const { submission_id: id, remote_ref: ref } = delivery;
  if (crm.provider === 'file') return `files in ${crm.directory}: lines with ${id}`;
  const names = makeSafe(describeRemote(delivery));
  if (ref !== null) return `CRM (${crm.provider}): ${names}`;
  const unconfirmed = `CRM (${crm.provider}): an export of ${id} that was not confirmed`;

  return names ? `${unconfirmed}: ${names}` : unconfirmed;
}

/** The digests that may name a request: those of the time it was open. */
async function findDigestDays(database: Database, submission: Submission): Promise<string[]> {
  const { quarantinedAt, releasedAt, receivedAt, contactedAt, anonymizedAt } = submission;
  if (quarantinedAt) return [];

  return listDigestDays(
    database,
    releasedAt ?? receivedAt,
    contactedAt ?? anonymizedAt ?? new Date(),
  );
}

/** A subscriber's own mailbox is no place of ours, a folder of mails is. */
function describeNewsletterMails({ mail }: Config, { subscriptions }: StoredData): string[] {
  if (mail.smtpUrl || subscriptions.length === 0) return [];

  return [`files in ${mail.directory}: mails to the address about the newsletter`];
}

async function describeDigests({ config, database }: Session, { submissions }: StoredData) {
  const days = await Promise.all(submissions.map((one) => findDigestDays(database, one)));
  const place = getMailPlace(config);

  return [...new Set(days.flat())]
    .sort()
    .map((day) =>
      config.mail.smtpUrl
        ? `${place}: the digest of ${day}, which may name them`
        : `${place}: digest-${day}.eml, which may name them`,
    );
}

/** The mails that told sales that a request is held. */
function describeHeldMails({ config }: Session, { submissions }: StoredData): string[] {
  const ids = new Set(submissions.flatMap(({ heldMailId }) => heldMailId ?? []));
  const place = getMailPlace(config);

  return [...ids].map((id) =>
    config.mail.smtpUrl
      ? `${place}: the mail about held requests with the Message-ID held-${id}, which may name them`
      : `${place}: held-${id}.eml, which may name them`,
  );
}

/** Where the data was handed to, as far as is known, for the person who erases it there; by line. */
export async function describeExternalServices(
  session: Session,
  data: StoredData,
  bySubmission: DeliveriesBySubmission,
): Promise<string[]> {
  const { config } = session;
  const deliveries = [...bySubmission.values()].flat();
  const tried = deliveries.filter(wasTried);
  const mailed = new Set(
    tried.filter(({ kind }) => kind === 'follow-up').map(({ submission_id: id }) => id),
  );
  const lines = [
    ...[...mailed].map(
      (id) => `${getMailPlace(config)}: mails with the header X-Submission-Id: ${id}`,
    ),
    ...(await describeDigests(session, data)),
    ...describeHeldMails(session, data),
    ...describeNewsletterMails(config, data),
    ...tried
      .filter(({ kind }) => kind === 'crm-export')
      .map((delivery) => describeExport(config, delivery)),
    ...deliveries
      .filter(({ state }) => state === 'leased')
      .map(
        ({ kind, submission_id: id }) =>
          `a ${kind} that a worker has not ended yet: \`ops submissions erase ${id} --yes\` in a minute names what came of it`,
      ),
    'backups made before now: what a restored one brings back is erased again',
  ];

  return lines.map((line) => `  - ${line}`);
}
