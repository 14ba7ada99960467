import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { writeAlertPost, type AlertNotice } from '../../shared/node/alerts/alert-notice.ts';
import { getAlertFormat, hasUrl, openAlertSenders, postNotice } from '../../shared/node/alerts/alert-channels.ts';
import { DeliveryError } from '../../shared/node/deliveries/delivery-error.ts';
import { describeCallFailure, isSuccess } from '../../shared/node/outbound/classify-response.ts';
import { createOutboundClient } from '../../shared/node/outbound/outbound-client.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { loadConfig, type Config } from '../../shared/node/config/config.ts';
import { Second } from '../../shared/time.ts';
import { createOpsLogger, OpsError } from '../cli/session.ts';
import { makeSafe, makeSafeLines, say } from '../cli/terminal.ts';
import { describeMailFailure } from './mail.ts';

const TIMEOUT = 30 * Second;

/** Of what the other side says to a refused test. */
const MAX_SHOWN = 300;

const makeTestNotice = (): AlertNotice => ({
  name: 'test',
  title: 'This is a test: alerts arrive this way.',
  action: 'Nothing is to be done.',
  message: '',
  details: {},
  firstRaisedAt: new Date(),
  lastRaisedAt: new Date(),
  count: 1,
});

/** How a way was tried. */
interface Outcome {
  readonly state: 'ok' | 'warn' | 'fail' | 'skip';
  readonly detail: string;
}

async function tryMail(config: Config): Promise<Outcome> {
  const { senders, close } = openAlertSenders(config, productionTimings.smtp, createOpsLogger(config));
  const recipients = config.alerts.email.join(', ');

  try {
    await senders.mail(makeTestNotice(), `alert-test-${randomUUID()}`, AbortSignal.timeout(TIMEOUT));

    return config.mail.smtpUrl === undefined
      ? { state: 'warn', detail: `It is a file in ${config.mail.directory}, nobody is mailed: set SMTP_URL.` }
      : { state: 'ok', detail: `The mail server has taken it, to ${recipients}.` };
  } catch (error) {
    return { state: 'fail', detail: `To ${recipients}: ${describeMailFailure(error)}` };
  } finally {
    await close();
  }
}

async function tryPost(config: Config): Promise<Outcome> {
  const { alerts, site, mail, outboundAllow } = config;
  if (!hasUrl(alerts)) return { state: 'skip', detail: 'ALERT_URL is not set: alerts are mailed only.' };
  // Not the address, whose path is a secret.
  const place = `${getAlertFormat(alerts)} at ${new URL(alerts.url).hostname}`;
  const message = writeAlertPost(makeTestNotice(), { siteName: site.name, timeZone: mail.timeZone });
  const client = createOutboundClient(outboundAllow);

  try {
    const answer = await postNotice(alerts, message, client, AbortSignal.timeout(TIMEOUT));
    if (isSuccess(answer)) return { state: 'ok', detail: `${place} answered ${answer.status}.` };

    return { state: 'fail', detail: `${place} answered ${answer.status}: ${answer.text.slice(0, MAX_SHOWN)}` };
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;

    return { state: 'fail', detail: `${place}: ${describeCallFailure(error)}` };
  } finally {
    await client.close();
  }
}

async function testAlerts(): Promise<void> {
  const config = loadConfig();
  const [mail, post] = await Promise.all([tryMail(config), tryPost(config)]);
  for (const [name, { state, detail }] of [['mail', mail], ['post', post]] as const) {
    say(`${state.padEnd(4)}  ${name}  ${name === 'mail' ? makeSafeLines(detail) : makeSafe(detail)}`);
  }
  if (mail.state === 'fail' || post.state === 'fail') throw new OpsError('Not every way to a person works.');
}

/** `alerts test` */
export function addAlerts(program: Command): void {
  program
    .command('alerts')
    .description('alerts to people')
    .command('test')
    .description('send a test alert to ALERT_EMAIL and ALERT_URL, and show what each of them says')
    .addHelpText('after', '\nExample:\n  ops alerts test')
    .action(testAlerts);
}
