import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { isConfigurationError } from '../../shared/node/mail/classify-smtp-error.ts';
import { createMailer } from '../../shared/node/mail/create-mailer.ts';
import type { Config } from '../../shared/node/config/config.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { fail, pass, warn, type Check, type CheckOutcome } from '../../shared/node/monitoring/check.ts';
import { Second } from '../../shared/time.ts';

/** Shorter than the timeout of `runCheck`. */
const TIMEOUTS = { connect: 5 * Second, greeting: 5 * Second, socket: 5 * Second };

const advice: Readonly<Record<string, string>> = {
  EAUTH: 'it refuses the login: check the user and password in SMTP_URL',
  ENOAUTH: 'it refuses the login: check the user and password in SMTP_URL',
  ETLS:
    'there is no trusted TLS: check its certificate, and whether it offers STARTTLS (smtp://) or TLS from the start ' +
    '(smtps://). Put the certificate of your own authority into certificates/authorities, or without Docker set NODE_EXTRA_CA_CERTS',
  EDNS: 'its name is unknown: check the host in SMTP_URL',
  ESOCKET: "it can't be reached: check host and port in SMTP_URL",
  ECONNECTION: "it can't be reached: check host and port in SMTP_URL",
  ETIMEDOUT: "it doesn't respond: check host and port in SMTP_URL",
};

/** Returns why mails can't be sent and what to do. `refusal` is the text for an unknown response. */
export function explainMailFailure(error: unknown, { mail }: Config, refusal: string): string {
  const reason = error instanceof DeliveryError ? error.reason : 'unexpected-error';
  if (!mail.smtpUrl) return `Mails can't be written to ${mail.directory} (${reason}).`;
  const cause = error instanceof Error ? error.cause : undefined;
  // Nodemailer uses the same code for an untrusted certificate and a closed port.
  const isUntrusted = getErrorCode(cause) === 'ESOCKET' && isConfigurationError(cause);
  const code = isUntrusted ? 'ETLS' : (getErrorCode(cause) ?? '');
  const { hostname, port } = new URL(mail.smtpUrl);
  const why = advice[code] ?? refusal;

  return `Mail server ${hostname}${port && `:${port}`}: ${why} (${reason}).`;
}

function assessTransport({ mail, isProduction }: Config): CheckOutcome {
  if (mail.smtpUrl) return pass('The mail server accepts the login.');
  const detail = `Mails are written to files in ${mail.directory}, and nobody receives them: set SMTP_URL.`;

  return isProduction ? warn(detail) : pass(detail);
}

export const checkMail = (config: Config, logger: Logger): Check => ({
  name: 'mail',
  run: async () => {
    const mailer = createMailer(config, TIMEOUTS, logger);

    try {
      await mailer.verify();

      return assessTransport(config);
    } catch (error) {
      return fail(explainMailFailure(error, config, 'it refuses: `ops mail test` shows its response'));
    } finally {
      mailer.close();
    }
  },
});
