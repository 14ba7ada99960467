import { readdir } from 'node:fs/promises';
import { kindRules, type DeliveryKind } from '../../shared/deliveries/delivery.ts';
import type { StoredData } from '../../shared/node/erasure/erase-subject.ts';
import type { Config } from '../../shared/node/config/config.ts';
import type { ListedDelivery } from '../../shared/node/deliveries/list-deliveries.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { describeChat } from '../../shared/node/outbound/chat-message.ts';
import { pathTo } from '../../shared/paths.ts';
import { formatDay } from '../../shared/time.ts';
import { describeRemote } from '../deliveries/describe-delivery.ts';
import type { Session } from '../cli/session.ts';
import { escapeControls } from '../cli/terminal.ts';

export type DeliveriesBySubmission = ReadonlyMap<string, readonly ListedDelivery[]>;

/** Returns whether an attempt may have left data. `attempts` doesn't count an attempt that paused its kind. */
const wasAttempted = ({ attempts, retry_at: retryAt, remote_steps: steps }: ListedDelivery): boolean =>
  attempts > 0 || retryAt !== null || Object.keys(steps).length > 0;

const getMailStore = ({ mail }: Config): string =>
  mail.smtpUrl ? 'sales mailboxes' : `files in ${mail.directory}`;

/** Returns where an export is. CRM_PROVIDER may have changed. The file provider's reference is the request's id. */
function describeExport({ crm, crmDirectory }: Config, delivery: ListedDelivery): string {
  const { submission_id: id, remote_ref: ref, sent_at: sentAt } = delivery;
  const isFile = ref === null ? crm.provider === 'file' : ref === id;
  if (isFile) return `files in ${crmDirectory}: lines with ${id}`;
  const names = escapeControls(describeRemote(delivery));
  if (ref !== null) {
    const setThen = sentAt ? `, if it was CRM_PROVIDER on ${formatDay(sentAt, 'UTC')}` : '';

    return `CRM (${crm.provider}${setThen}): ${names}`;
  }
  const unconfirmed = `CRM (${crm.provider}): an export of ${id} that was not confirmed`;

  return names ? `${unconfirmed}: ${names}` : unconfirmed;
}

const describeAnnouncement = ({ chat }: Config, { submission_id: id }: ListedDelivery): string =>
  `${chat ? describeChat(chat) : 'the chat'}: the message that links to ${pathTo.followUp(id ?? '')}, with company and industry`;

/** Returns the acknowledgment files, which don't contain the request's id. */
function describeAcknowledgments({ mail }: Config, attempted: readonly ListedDelivery[]): string[] {
  if (mail.smtpUrl) return [];

  return attempted
    .filter(({ kind }) => kindRules[kind].leaves === 'mail to visitor')
    .map(({ kind, id }) => `files in ${mail.directory}: ${kind}-${id}.eml`);
}

async function hasFiles(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).some((name) => name.endsWith('.eml'));
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Returns files from before SMTP_URL was set, which are not deleted. */
async function describeEarlierFiles({ mail }: Config, { submissions, subscriptions }: StoredData): Promise<string[]> {
  if (!mail.smtpUrl || (submissions.length === 0 && subscriptions.length === 0)) return [];
  const names = ['the address', ...submissions.map(({ id }) => id)].join(' or ');

  return (await hasFiles(mail.directory)) ? [`files in ${mail.directory} from before SMTP_URL was set that contain ${names}`] : [];
}

/** Returns the files with mails to subscribers. If SMTP_URL is set, no copies are kept. */
function describeNewsletterMails({ mail }: Config, { subscriptions }: StoredData): string[] {
  if (mail.smtpUrl || subscriptions.length === 0) return [];

  return [`files in ${mail.directory}: mails to the address about the newsletter`];
}

function describeHeldMails({ config }: Session, { submissions }: StoredData): string[] {
  const ids = new Set(submissions.flatMap(({ heldMailId }) => heldMailId ?? []));
  const store = getMailStore(config);

  return [...ids].map((id) =>
    config.mail.smtpUrl
      ? `${store}: the mail about held requests with the Message-ID held-${id}, which may name them`
      : `${store}: held-${id}.eml, which may name them`,
  );
}

/** Lists the external services where the operator may have to erase the data, one per line. */
export async function describeExternalServices(
  session: Session,
  data: StoredData,
  bySubmission: DeliveriesBySubmission,
): Promise<string[]> {
  const { config } = session;
  const deliveries = [...bySubmission.values()].flat();
  const attempted = deliveries.filter(wasAttempted);
  const listLeft = (what: (typeof kindRules)[DeliveryKind]['leaves']) =>
    attempted.filter(({ kind }) => kindRules[kind].leaves === what);
  const mailed = new Set(listLeft('mail to sales').map(({ submission_id: id }) => id));
  const lines = [
    ...[...mailed].map(
      (id) => `${getMailStore(config)}: mails with the header X-Submission-Id: ${id}`,
    ),
    ...describeHeldMails(session, data),
    ...describeNewsletterMails(config, data),
    ...(await describeEarlierFiles(config, data)),
    ...describeAcknowledgments(config, attempted),
    ...listLeft('CRM record').map((delivery) => describeExport(config, delivery)),
    ...listLeft('chat message').map((delivery) => describeAnnouncement(config, delivery)),
    ...deliveries
      .filter(({ state }) => state === 'leased')
      .map(
        ({ kind, submission_id: id }) =>
          `a ${kind} that a worker is still processing: run \`ops submissions erase ${id} --yes\` in a minute to see its result`,
      ),
    'existing backups: after a restore the data is erased again',
  ];

  return lines.map((line) => `  - ${line}`);
}
