import { onTestFinished } from 'vitest';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createSmtpMailer } from '../../shared/node/mail/smtp-mailer.ts';

/** Creates a mailer for an SMTP server. It is closed when the test ends. */
export function openMailer(smtpUrl: string, from = 'site@example.com') {
  const mailer = createSmtpMailer(smtpUrl, from, productionTimings.smtp, createLogger({ level: 'silent', process: 'test' }));
  onTestFinished(() => mailer.close());

  return mailer;
}
