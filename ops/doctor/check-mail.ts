import { DeliveryError } from '../../shared/node/deliveries/delivery-error.ts';
import { createMailer } from '../../shared/node/mail/create-mailer.ts';
import type { Config } from '../../shared/node/config/config.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { Second } from '../../shared/time.ts';
import type { Check, Finding } from './check.ts';

/** So short that the doctor's own patience isn't used up. */
const TIMEOUTS = { connect: 5 * Second, greeting: 5 * Second, socket: 5 * Second };

/** Codes of Nodemailer that an operator can act upon. */
const advice: Readonly<Record<string, string>> = {
  EAUTH: 'it refuses the login: check user and password in SMTP_URL',
  ENOAUTH: 'it refuses the login: check user and password in SMTP_URL',
  ETLS: 'there is no trusted TLS: check its certificate, or whether it offers STARTTLS',
  EDNS: 'its name is unknown: check the host in SMTP_URL',
  ESOCKET: "it can't be reached: check host and port in SMTP_URL",
  ECONNECTION: "it can't be reached: check host and port in SMTP_URL",
  ETIMEDOUT: "it doesn't answer: check host and port in SMTP_URL",
};

function describeFault(error: unknown, { mail }: Config): string {
  const reason = error instanceof DeliveryError ? error.reason : 'unexpected-error';
  if (!mail.smtpUrl) return `Mails can't be written to ${mail.directory} (${reason}).`;
  const code = getErrorCode(error instanceof Error ? error.cause : undefined) ?? '';
  const { hostname, port } = new URL(mail.smtpUrl);
  const why = advice[code] ?? 'it refuses: `ops mail test` shows its words';

  return `Mail server ${hostname}${port && `:${port}`}: ${why} (${reason}).`;
}

function describeWay({ mail, isProduction }: Config): Finding {
  if (mail.smtpUrl) return { check: 'mail', status: 'ok', detail: 'The mail server takes the login.' };

  return {
    check: 'mail',
    status: isProduction ? 'warn' : 'ok',
    detail: `Mails go to files in ${mail.directory}, nobody is mailed: set SMTP_URL.`,
  };
}

/** Whether mails could be handed over now. */
export const checkMail = (config: Config, logger: Logger): Check => ({
  name: 'mail',
  look: async () => {
    const mailer = createMailer(config, TIMEOUTS, logger);

    try {
      await mailer.verify();

      return describeWay(config);
    } catch (error) {
      return { check: 'mail', status: 'fail', detail: describeFault(error, config) };
    } finally {
      mailer.close();
    }
  },
});
