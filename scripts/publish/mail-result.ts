import { randomUUID } from 'node:crypto';
import { escapeHtml } from '../../shared/escape-html.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createMailer } from '../../shared/node/mail/create-mailer.ts';

const TIMEOUT_MS = 60_000;

/** Mails the result of a publish to ALERT_EMAIL. @throws if the mail cannot be sent */
export async function mailResult(subject: string, text: string): Promise<void> {
  const config = loadConfig();
  const { alerts, logLevel, site } = config;
  const mailer = createMailer(config, productionTimings.smtp, createLogger({ level: logLevel, process: 'publish' }));
  try {
    await mailer.send(
      {
        key: `publish-${randomUUID()}`,
        to: alerts.email,
        subject: `[${site.name}] ${subject}`,
        text: `${text}\n`,
        html: `<pre>${escapeHtml(text)}</pre>`,
        headers: {},
      },
      { signal: AbortSignal.timeout(TIMEOUT_MS) },
    );
  } finally {
    mailer.close();
  }
}
