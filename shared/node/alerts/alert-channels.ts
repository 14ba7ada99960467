import type { Config } from '../config/config.ts';
import type { ChatFormat } from '../config/settings.ts';
import { createChildWithoutAlerts, type Logger } from '../logging/logger.ts';
import { createMailer } from '../mail/create-mailer.ts';
import { renderMail } from '../mail/render-mail.ts';
import { composeChatPost, detectChatFormat, type ChatMessage } from '../outbound/chat-message.ts';
import { classifyResponse } from '../outbound/classify-response.ts';
import { createOutboundClient, type OutboundResponse, type OutboundClient } from '../outbound/outbound-client.ts';
import type { Timings } from '../config/timings.ts';
import { writeAlertMail, writeAlertPost } from './alert-notice.ts';
import type { AlertSenders, SendNotice } from './alert-sender.ts';

export type AlertSettings = Pick<Config, 'alerts' | 'mail' | 'site' | 'outboundAllow'>;

type AlertAddress = Config['alerts'] & { readonly url: string };

/** The format of ALERT_URL: as it is set, or as its host is known for. */
export const getAlertFormat = ({ url, format }: AlertAddress): ChatFormat =>
  format ?? detectChatFormat(new URL(url));

/**
 * Posts a notice to ALERT_URL; resolves to the answer, whatever its status.
 * @throws DeliveryError when there is none
 */
export async function postNotice(
  address: AlertAddress,
  message: ChatMessage,
  client: OutboundClient,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const { url, body } = composeChatPost(address.url, getAlertFormat(address), message);

  return client.call({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
}

export const isTaken = ({ status }: OutboundResponse): boolean => status >= 200 && status <= 299;

export const hasUrl = (alerts: Config['alerts']): alerts is AlertAddress => alerts.url !== undefined;

/** The ways to a person that are configured, and what closes them. */
export function openAlertSenders(
  { alerts, mail, site, outboundAllow }: AlertSettings,
  smtpTimeouts: Timings['smtp'],
  logger: Logger,
): { readonly ways: AlertSenders & { readonly mail: SendNotice }; readonly close: () => Promise<void> } {
  // A mailer of its own: a failure of it must not raise an alert, which would be mailed the same way.
  const mailer = createMailer({ mail }, smtpTimeouts, createChildWithoutAlerts(logger));
  const client = createOutboundClient(outboundAllow);
  const context = { siteName: site.name, timeZone: mail.timeZone };

  return {
    ways: {
      mail: async (notice, key, signal) => {
        const content = renderMail(writeAlertMail(notice, context));
        const mail = { key, to: alerts.email, ...content, headers: {} };
        const { deferred } = await mailer.send(mail, { signal });
        if (deferred.length > 0) {
          logger.warn(
            { raised: notice.name, deferred: deferred.length },
            'Recipients of an alert were refused for the moment and miss this notice.',
          );
        }
      },
      ...(hasUrl(alerts) && {
        post: async (notice, _key, signal) => {
          const answer = await postNotice(alerts, writeAlertPost(notice, context), client, signal);
          if (!isTaken(answer)) throw classifyResponse(getAlertFormat(alerts), answer);
        },
      }),
    },
    close: async () => {
      mailer.close();
      await client.close();
    },
  };
}
