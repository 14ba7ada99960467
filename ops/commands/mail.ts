import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { createMailer } from '../../shared/node/mail/create-mailer.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { escapeHtml } from '../../shared/escape-html.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { Second } from '../../shared/time.ts';
import { readEmail } from '../cli/arguments.ts';
import { createOpsLogger, OpsError } from '../cli/session.ts';
import { makeSafe, makeSafeLines, say } from '../cli/terminal.ts';

const PATIENCE = 30 * Second;

/** All that the other side said; only for the operator who asked for it, never for a log. */
export function describeMailFailure(error: unknown): string {
  const cause: unknown = error instanceof Error && error.cause ? error.cause : error;
  if (!(cause instanceof Error)) return makeSafe(String(cause));
  const details = ['code', 'command', 'responseCode', 'response']
    .filter((name) => name in cause)
    .map((name) => `\n  ${name}: ${String(Reflect.get(cause, name))}`);

  return makeSafeLines(`${cause.message}${details.join('')}`);
}

async function sendTestMail({ to }: { readonly to?: string }): Promise<void> {
  const config = loadConfig();
  const mailer = createMailer(config, productionTimings.smtp, createOpsLogger(config));
  const recipients = to === undefined ? config.mail.sales : [to];
  const text = `This is a test mail of ${config.site.name} (${config.site.publicUrl}). Mails to sales arrive this way.`;

  try {
    const { messageId, deferred } = await mailer.send(
      {
        key: `test-${randomUUID()}`,
        to: recipients,
        subject: `[${config.site.name}] Test mail`,
        text: `${text}\n`,
        html: `<p>${escapeHtml(text)}</p>`,
        headers: {},
      },
      { signal: AbortSignal.timeout(PATIENCE) },
    );
    const way = config.mail.smtpUrl ? 'The mail server has taken it' : `It is a file in ${config.mail.directory}`;
    say(`${way}: ${messageId}, to ${recipients.join(', ')}.`);
    if (deferred.length > 0) say(`Refused for the moment: ${deferred.join(', ')}.`);
  } catch (error) {
    throw new OpsError(`The test mail could not be sent: ${describeMailFailure(error)}`);
  } finally {
    mailer.close();
  }
}

/** `mail test` */
export function addMail(program: Command): void {
  program
    .command('mail')
    .description('mails to sales')
    .command('test')
    .description('send a test mail the way mails to sales go, and show what the server says')
    .option('--to <address>', 'recipient; SALES_EMAIL without it', readEmail)
    .addHelpText('after', '\nExample:\n  ops mail test --to me@example.com')
    .action(sendTestMail);
}
