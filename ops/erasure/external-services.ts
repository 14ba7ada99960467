import { listDigestDays } from '../../shared/node/periodic-mails/periodic-mail-store.ts';
import type { StoredData } from '../../shared/node/erasure/erase-subject.ts';
import type { Config } from '../../shared/node/config/config.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { ListedDelivery } from '../../shared/node/deliveries/list-deliveries.ts';
import { describeChat } from '../../shared/node/outbound/post-chat-message.ts';
import { pathTo } from '../../shared/paths.ts';
import { describeRemote } from '../deliveries/describe-delivery.ts';
import type { Session } from '../cli/session.ts';
import { escapeControls } from '../cli/terminal.ts';

export type DeliveriesBySubmission = ReadonlyMap<string, readonly ListedDelivery[]>;

/**
 * Any attempt may have left data behind. One after which the kind was paused isn't counted in
 * `attempts` but has an error; so has a delivery cancelled before its first attempt, which is listed
 * although it left nothing.
 */
const wasAttempted = ({ attempts, last_error: error, remote_steps: steps }: ListedDelivery): boolean =>
  attempts > 0 || error !== null || Object.keys(steps).length > 0;

const getMailStore = ({ mail }: Config): string =>
  mail.smtpUrl ? 'mailboxes of sales' : `files in ${mail.directory}`;

function describeExport({ crm }: Config, delivery: ListedDelivery): string {
  const { submission_id: id, remote_ref: ref } = delivery;
  if (crm.provider === 'file') return `files in ${crm.directory}: lines with ${id}`;
  const names = escapeControls(describeRemote(delivery));
  if (ref !== null) return `CRM (${crm.provider}): ${names}`;
  const unconfirmed = `CRM (${crm.provider}): an export of ${id} that was not confirmed`;

  return names ? `${unconfirmed}: ${names}` : unconfirmed;
}

const describeAnnouncement = ({ chat }: Config, { submission_id: id }: ListedDelivery): string =>
  `${chat ? describeChat(chat) : 'the chat'}: the announcement that links to ${pathTo.followUp(id ?? '')}, with company and industry`;

/** The days of digests that may name a request: those while it was open. */
async function findDigestDays(database: Database, submission: Submission): Promise<string[]> {
  const { quarantinedAt, releasedAt, receivedAt, contactedAt, unfitAt, anonymizedAt } = submission;
  if (quarantinedAt) return [];

  return listDigestDays(
    database,
    releasedAt ?? receivedAt,
    contactedAt ?? unfitAt ?? anonymizedAt ?? new Date(),
  );
}

/** Acknowledgments, too; they name the request nowhere. */
function describeAcknowledgments({ mail }: Config, attempted: readonly ListedDelivery[]): string[] {
  if (mail.smtpUrl) return [];

  return attempted
    .filter(({ kind }) => kind === 'acknowledgment')
    .map(({ id }) => `files in ${mail.directory}: acknowledgment-${id}.eml`);
}

/** Mails to subscribers stay with us only where they are written to files. */
function describeNewsletterMails({ mail }: Config, { subscriptions }: StoredData): string[] {
  if (mail.smtpUrl || subscriptions.length === 0) return [];

  return [`files in ${mail.directory}: mails to the address about the newsletter`];
}

async function describeDigests({ config, database }: Session, { submissions }: StoredData) {
  const days = await Promise.all(submissions.map((one) => findDigestDays(database, one)));
  const store = getMailStore(config);

  return [...new Set(days.flat())]
    .sort()
    .map((day) =>
      config.mail.smtpUrl
        ? `${store}: the digest of ${day}, if there was anything to say, which may name them`
        : `${store}: digest-${day}.eml, if there was anything to say, which may name them`,
    );
}

/** The mails to sales that report held requests. */
function describeHeldMails({ config }: Session, { submissions }: StoredData): string[] {
  const ids = new Set(submissions.flatMap(({ heldMailId }) => heldMailId ?? []));
  const store = getMailStore(config);

  return [...ids].map((id) =>
    config.mail.smtpUrl
      ? `${store}: the mail about held requests with the Message-ID held-${id}, which may name them`
      : `${store}: held-${id}.eml, which may name them`,
  );
}

/** The external services that may hold the data, one a line, for the operator who erases it there. */
export async function describeExternalServices(
  session: Session,
  data: StoredData,
  bySubmission: DeliveriesBySubmission,
): Promise<string[]> {
  const { config } = session;
  const deliveries = [...bySubmission.values()].flat();
  const attempted = deliveries.filter(wasAttempted);
  const mailed = new Set(
    attempted.filter(({ kind }) => kind === 'follow-up').map(({ submission_id: id }) => id),
  );
  const lines = [
    ...[...mailed].map(
      (id) => `${getMailStore(config)}: mails with the header X-Submission-Id: ${id}`,
    ),
    ...(await describeDigests(session, data)),
    ...describeHeldMails(session, data),
    ...describeNewsletterMails(config, data),
    ...describeAcknowledgments(config, attempted),
    ...attempted
      .filter(({ kind }) => kind === 'crm-export')
      .map((delivery) => describeExport(config, delivery)),
    ...attempted.filter(({ kind }) => kind === 'chat').map((delivery) => describeAnnouncement(config, delivery)),
    ...deliveries
      .filter(({ state }) => state === 'leased')
      .map(
        ({ kind, submission_id: id }) =>
          `a ${kind} that a worker is still processing: \`ops submissions erase ${id} --yes\` in a minute shows its result`,
      ),
    'backups made before now: after a restore the data is erased again',
  ];

  return lines.map((line) => `  - ${line}`);
}
