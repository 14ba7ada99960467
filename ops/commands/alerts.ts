import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { openAlertSenders, writeAlertPost, type AlertNotice } from '../../shared/node/alerts/alert-channels.ts';
import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { describeCallFailure } from '../../shared/node/outbound/classify-response.ts';
import {
  type ChatMessage,
  describeChat,
  postChatMessage,
  type ChatAddress,
} from '../../shared/node/outbound/chat-message.ts';
import {
  createOutboundClient,
  isSuccess,
  type OutboundClient,
  type OutboundResponse,
} from '../../shared/node/outbound/outbound-client.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { loadConfig, type Config } from '../../shared/node/config/config.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { fail, pass, warn, type CheckOutcome } from '../../shared/node/monitoring/check.ts';
import { Second } from '../../shared/time.ts';
import { createOpsLogger, OpsError, type CommandContext } from '../cli/session.ts';
import { escapeControls, escapeControlsInLines } from '../cli/terminal.ts';
import { explainMailFailure } from '../doctor/check-mail.ts';
import { describeMailFailure, REFUSED_WITHOUT_ADVICE } from './mail.ts';

const TIMEOUT = 30 * Second;

const MAX_SHOWN = 300;

const createTestNotice = (): AlertNotice => ({
  name: 'test',
  title: 'This is a test alert.',
  action: 'No action is needed.',
  message: '',
  details: {},
  firstRaisedAt: new Date(),
  lastRaisedAt: new Date(),
  count: 1,
});

async function checkMailChannel(config: Config, logger: Logger): Promise<CheckOutcome> {
  const { senders, close } = openAlertSenders(config, productionTimings.smtp, logger);
  const recipients = config.alerts.email.join(', ');

  try {
    const envelope = { key: `alert-test-${randomUUID()}`, recipients: null };
    const deferred = await senders.mail(createTestNotice(), envelope, AbortSignal.timeout(TIMEOUT));
    if (deferred.length > 0) return warn(`The mail server deferred ${deferred.join(', ')} and accepted the others.`);

    return config.mail.smtpUrl === undefined
      ? warn(`It was only written to a file in ${config.mail.directory}: set SMTP_URL.`)
      : pass(`The mail server accepted it for ${recipients}.`);
  } catch (error) {
    return fail(`To ${recipients}: ${explainMailFailure(error, config, REFUSED_WITHOUT_ADVICE)}\n  ${describeMailFailure(error)}`);
  } finally {
    await close();
  }
}

const createTestAnnouncement = ({ site }: Config): ChatMessage => ({
  title: `[${site.name}] Test`,
  lines: ['This is a test. New requests are announced here.'],
  link: { label: 'The site', url: site.publicUrl },
  isUrgent: false,
  data: { site: site.name, event: 'test' },
});

/** Returns the outcome of a call. @param receiver the part of the address that may be shown, since its path is a secret */
async function tryCall(
  receiver: string,
  { outboundAllow }: Config,
  call: (client: OutboundClient, signal: AbortSignal) => Promise<OutboundResponse>,
): Promise<CheckOutcome> {
  const client = createOutboundClient(outboundAllow);

  try {
    const response = await call(client, AbortSignal.timeout(TIMEOUT));
    const result = `${receiver} responded with ${response.status}`;

    return isSuccess(response) ? pass(`${result}.`) : fail(`${result}: ${response.text.slice(0, MAX_SHOWN)}`);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;

    return fail(`${receiver}: ${describeCallFailure(error)}`);
  } finally {
    await client.close();
  }
}

const postTestMessage = (address: ChatAddress, message: ChatMessage, config: Config): Promise<CheckOutcome> =>
  tryCall(describeChat(address), config, (client, signal) => postChatMessage(address, message, client, signal));

/** Makes the same call as the worker. */
const checkHeartbeat = (url: string, config: Config): Promise<CheckOutcome> =>
  tryCall(new URL(url).hostname, config, (client, signal) => client.call({ method: 'GET', url, headers: {}, signal }));

async function checkPostChannel(config: Config): Promise<CheckOutcome> {
  const { alerts, site, timeZone } = config;
  if (!alerts.post) return { state: 'skip', detail: 'ALERT_URL is not set: alerts are sent by mail only.' };
  const message = writeAlertPost(createTestNotice(), { siteName: site.name, timeZone });

  return postTestMessage(alerts.post, message, config);
}

async function testAlerts({ environment, terminal }: CommandContext): Promise<void> {
  const config = loadConfig(environment);
  const { chat } = config;
  const { heartbeatUrl } = config.alerts;
  const results = await Promise.all([
    checkMailChannel(config, createOpsLogger(config, terminal)).then((outcome) => ({ name: 'mail', ...outcome })),
    checkPostChannel(config).then((outcome) => ({ name: 'post', ...outcome })),
    ...(chat
      ? [postTestMessage(chat, createTestAnnouncement(config), config).then((outcome) => ({ name: 'chat', ...outcome }))]
      : []),
    ...(heartbeatUrl === undefined
      ? []
      : [checkHeartbeat(heartbeatUrl, config).then((outcome) => ({ name: 'heartbeat', ...outcome }))]),
  ]);
  for (const { name, state, detail } of results) {
    terminal.print(`${state.padEnd(4)}  ${name}  ${name === 'mail' ? escapeControlsInLines(detail) : escapeControls(detail)}`);
  }
  if (results.some(({ state }) => state === 'fail')) throw new OpsError('A channel failed.');
}

/** Adds the command `alerts test`. */
export function addAlerts(program: Command, context: CommandContext): void {
  program
    .command('alerts')
    .description('alerts to operators')
    .command('test')
    .description('send a test alert to ALERT_EMAIL and ALERT_URL and a test message to CHAT_URL, call HEARTBEAT_URL, and show the responses')
    .action(() => testAlerts(context));
}
