import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { createMailer } from '../../shared/node/mail/create-mailer.ts';
import { selectMailboxes } from '../../shared/node/mail/email-address.ts';
import type { SentMail } from '../../shared/node/mail/mailer.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { escapeHtml } from '../../shared/escape-html.ts';
import { loadConfig, type Config } from '../../shared/node/config/config.ts';
import { Second } from '../../shared/time.ts';
import { readEmail } from '../cli/arguments.ts';
import { createOpsLogger, OpsError, type CommandContext } from '../cli/session.ts';
import { escapeControls, escapeControlsInLines, type Terminal } from '../cli/terminal.ts';
import { assessSender, getSenderDomain } from '../doctor/check-sender.ts';
import { explainMailFailure } from '../doctor/check-mail.ts';

const TIMEOUT = 30 * Second;

/** The explanation if there is no advice for a response. The response itself is printed too. */
export const REFUSED_WITHOUT_ADVICE = 'it refused the mail, as its response shows';

/** Returns the mail server's full response, or why there is none. It may contain addresses, so never log it. */
export function describeMailFailure(error: unknown): string {
  const cause: unknown = error instanceof Error && error.cause ? error.cause : error;
  if (!(cause instanceof Error)) return escapeControls(String(cause));
  const details = ['responseCode', 'response']
    .filter((name) => name in cause)
    .map((name) => `\n  ${name}: ${String(Reflect.get(cause, name))}`);

  return escapeControlsInLines(`${cause.message}${details.join('')}`);
}

interface Options {
  readonly to?: string;
}

/** Sends a test mail. @throws OpsError after printing the mail server's response */
async function sendMail(
  { config, terminal }: { readonly config: Config; readonly terminal: Terminal },
  recipients: readonly string[],
): Promise<SentMail> {
  const mailer = createMailer(config, productionTimings.smtp, createOpsLogger(config, terminal));
  const text = `This is a test mail of ${config.site.name} (${config.site.publicUrl}). Mails to sales are sent in the same way.`;

  try {
    return await mailer.send(
      {
        key: `test-${randomUUID()}`,
        to: recipients,
        subject: `[${config.site.name}] Test mail`,
        text: `${text}\n`,
        html: `<p>${escapeHtml(text)}</p>`,
        headers: {},
      },
      { signal: AbortSignal.timeout(TIMEOUT) },
    );
  } catch (error) {
    terminal.printError(describeMailFailure(error));
    throw new OpsError(`The test mail could not be sent. ${explainMailFailure(error, config, REFUSED_WITHOUT_ADVICE)}`);
  } finally {
    mailer.close();
  }
}

async function printSender({ print }: Terminal, from: string): Promise<void> {
  const domain = getSenderDomain(from);
  for (const { check = 'sender', state, detail } of await assessSender(domain)) {
    print(escapeControls(`${state.padEnd(4)}  ${check}: ${detail}`));
  }
  print(
    `The received mail's header Authentication-Results should have spf=pass, dmarc=pass, and dkim=pass with header.d=${domain} or a domain above or below it (aligned).`,
  );
}

async function sendTestMail({ environment, terminal }: CommandContext, { to }: Options): Promise<void> {
  const config = loadConfig(environment);
  const recipients = to === undefined ? config.mail.sales : [to];
  const { messageId, deferred, refused } = await sendMail({ config, terminal }, recipients);
  const others = selectMailboxes(recipients, [...deferred, ...refused]);
  const accepted = recipients.filter((recipient) => !others.includes(recipient));
  const result = config.mail.smtpUrl ? 'The mail server accepted it' : `It is a file in ${config.mail.directory}`;

  terminal.print(`${result}: ${messageId}, to ${accepted.join(', ')}.`);
  if (deferred.length > 0) terminal.print(`Deferred by the mail server: ${deferred.join(', ')}.`);
  if (config.mail.smtpUrl) await printSender(terminal, config.mail.from);
  if (refused.length > 0) {
    throw new OpsError(`Refused by the mail server: ${refused.join(', ')}. Correct SALES_EMAIL.`);
  }
}

/** Adds the command `mail test`. */
export function addMail(program: Command, context: CommandContext): void {
  program
    .command('mail')
    .description('mails to sales')
    .command('test')
    .description('send a test mail in the same way as mails to sales, and show the server’s response')
    .option('--to <address>', 'recipient; default SALES_EMAIL', readEmail)
    .action((options: Options) => sendTestMail(context, options));
}
