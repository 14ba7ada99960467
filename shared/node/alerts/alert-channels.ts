import type { Config } from '../config/config.ts';
import type { ChatFormat } from '../config/settings.ts';
import { createChildWithoutAlerts, type Logger } from '../logging/logger.ts';
import { createMailer } from '../mail/create-mailer.ts';
import { renderMail } from '../mail/render-mail.ts';
import { composeChatPost, detectChatFormat, type ChatMessage } from '../outbound/chat-message.ts';
import { classifyResponse } from '../outbound/classify-response.ts';
import { isSuccess, createOutboundClient, type OutboundResponse, type OutboundClient } from '../outbound/outbound-client.ts';
import type { Timings } from '../config/timings.ts';
import { writeAlertMail, writeAlertPost } from './alert-notice.ts';
import type { AlertSenders, SendNotice } from './alert-sender.ts';

export type AlertSettings = Pick<Config, 'alerts' | 'mail' | 'site' | 'outboundAllow'>;

type AlertAddress = Config['alerts'] & { readonly url: string };

/** The format of ALERT_URL: the configured one, or the one its host is known for. */
export const getAlertFormat = ({ url, format }: AlertAddress): ChatFormat =>
  format ?? detectChatFormat(new URL(url));

/**
 * Posts a notice to ALERT_URL; resolves to the response, whatever its status.
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

export const hasUrl = (alerts: Config['alerts']): alerts is AlertAddress => alerts.url !== undefined;

/** Opens the configured channels; `close` closes their connections. */
export function openAlertSenders(
  { alerts, mail, site, outboundAllow }: AlertSettings,
  smtpTimeouts: Timings['smtp'],
  logger: Logger,
): { readonly senders: AlertSenders & { readonly mail: SendNotice }; readonly close: () => Promise<void> } {
  // A mailer of its own, whose failure raises no alert: that would be mailed the same way.
  const mailer = createMailer({ mail }, smtpTimeouts, createChildWithoutAlerts(logger));
  const client = createOutboundClient(outboundAllow);
  const context = { siteName: site.name, timeZone: mail.timeZone };

  return {
    senders: {
      mail: async (notice, key, signal) => {
        const content = renderMail(writeAlertMail(notice, context));
        const mail = { key, to: alerts.email, ...content, headers: {} };
        const { deferred } = await mailer.send(mail, { signal });
        if (deferred.length > 0) {
          logger.warn(
            { raised: notice.name, deferred: deferred.length },
            'Recipients of an alert were refused temporarily and miss this notice.',
          );
        }
      },
      ...(hasUrl(alerts) && {
        post: async (notice, _key, signal) => {
          const response = await postNotice(alerts, writeAlertPost(notice, context), client, signal);
          if (!isSuccess(response)) throw classifyResponse(getAlertFormat(alerts), response);
        },
      }),
    },
    close: async () => {
      mailer.close();
      await client.close();
    },
  };
}
