import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { writeAlertPost, type AlertNotice } from '../../shared/node/alerts/alert-notice.ts';
import { getAlertFormat, hasUrl, openAlertSenders, postNotice } from '../../shared/node/alerts/alert-channels.ts';
import { DeliveryError } from '../../shared/node/deliveries/delivery-error.ts';
import { describeCallFailure } from '../../shared/node/outbound/classify-response.ts';
import { isSuccess, createOutboundClient } from '../../shared/node/outbound/outbound-client.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { loadConfig, type Config } from '../../shared/node/config/config.ts';
import { fail, pass, warn, type CheckOutcome } from '../../shared/node/monitoring/check.ts';
import { Second } from '../../shared/time.ts';
import { createOpsLogger, OpsError } from '../cli/session.ts';
import { escapeControls, escapeControlsInLines, print } from '../cli/terminal.ts';
import { describeMailFailure } from './mail.ts';

const TIMEOUT = 30 * Second;

/** Characters of the response to a refused test. */
const MAX_SHOWN = 300;

const createTestNotice = (): AlertNotice => ({
  name: 'test',
  title: 'This is a test: alerts arrive like this.',
  action: 'No action is needed.',
  message: '',
  details: {},
  firstRaisedAt: new Date(),
  lastRaisedAt: new Date(),
  count: 1,
});

async function checkMailChannel(config: Config): Promise<CheckOutcome> {
  const { senders, close } = openAlertSenders(config, productionTimings.smtp, createOpsLogger(config));
  const recipients = config.alerts.email.join(', ');

  try {
    await senders.mail(createTestNotice(), `alert-test-${randomUUID()}`, AbortSignal.timeout(TIMEOUT));

    return config.mail.smtpUrl === undefined
      ? warn(`It is a file in ${config.mail.directory}, nobody receives it: set SMTP_URL.`)
      : pass(`The mail server accepted it, to ${recipients}.`);
  } catch (error) {
    return fail(`To ${recipients}: ${describeMailFailure(error)}`);
  } finally {
    await close();
  }
}

async function checkPostChannel(config: Config): Promise<CheckOutcome> {
  const { alerts, site, mail, outboundAllow } = config;
  if (!hasUrl(alerts)) return { state: 'skip', detail: 'ALERT_URL is not set: alerts are sent by mail only.' };
  // The host only: the path of the URL is a secret.
  const receiver = `${getAlertFormat(alerts)} at ${new URL(alerts.url).hostname}`;
  const message = writeAlertPost(createTestNotice(), { siteName: site.name, timeZone: mail.timeZone });
  const client = createOutboundClient(outboundAllow);

  try {
    const response = await postNotice(alerts, message, client, AbortSignal.timeout(TIMEOUT));
    const result = `${receiver} responded with ${response.status}`;

    return isSuccess(response) ? pass(`${result}.`) : fail(`${result}: ${response.text.slice(0, MAX_SHOWN)}`);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;

    return fail(`${receiver}: ${describeCallFailure(error)}`);
  } finally {
    await client.close();
  }
}

async function testAlerts(): Promise<void> {
  const config = loadConfig();
  const [mail, post] = await Promise.all([checkMailChannel(config), checkPostChannel(config)]);
  for (const [name, { state, detail }] of [['mail', mail], ['post', post]] as const) {
    print(`${state.padEnd(4)}  ${name}  ${name === 'mail' ? escapeControlsInLines(detail) : escapeControls(detail)}`);
  }
  if (mail.state === 'fail' || post.state === 'fail') throw new OpsError('An alert channel failed.');
}

/** `alerts test` */
export function addAlerts(program: Command): void {
  program
    .command('alerts')
    .description('alerts to operators')
    .command('test')
    .description('send a test alert to ALERT_EMAIL and ALERT_URL, and show their responses')
    .addHelpText('after', '\nExample:\n  ops alerts test')
    .action(testAlerts);
}
