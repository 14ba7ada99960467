import type { Config } from '../config/config.ts';
import type { Logger } from '../logging/logger.ts';
import type { Timings } from '../config/timings.ts';
import { createFileMailer } from './file-mailer.ts';
import type { Mailer } from './mailer.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

/** Creates a mailer that sends through the configured SMTP server or, without one, writes files. */
export function createMailer(
  { mail }: Pick<Config, 'mail'>,
  timeouts: Timings['smtp'],
  logger: Logger,
): Mailer {
  return mail.smtpUrl
    ? createSmtpMailer(mail.smtpUrl, mail.from, timeouts, logger)
    : createFileMailer(mail.directory, mail.from);
}
