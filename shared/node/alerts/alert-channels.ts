import type { Config } from '../config/config.ts';
import { createChildWithoutAlerts, type Logger } from '../logging/logger.ts';
import { createMailer } from '../mail/create-mailer.ts';
import { selectMailboxes } from '../mail/email-address.ts';
import { renderMail } from '../mail/render-mail.ts';
import { classifyResponse } from '../outbound/classify-response.ts';
import { isSuccess, createOutboundClient } from '../outbound/outbound-client.ts';
import { getChatFormat, postChatMessage } from '../outbound/post-chat-message.ts';
import type { Timings } from '../config/timings.ts';
import { writeAlertMail, writeAlertPost } from './alert-notice.ts';
import type { AlertSenders, SendNotice } from './alert-sender.ts';

export type AlertSettings = Pick<Config, 'alerts' | 'mail' | 'site' | 'timeZone' | 'outboundAllow'>;

/** Opens the configured channels; `close` closes their connections. */
export function openAlertSenders(
  { alerts, mail, site, timeZone, outboundAllow }: AlertSettings,
  smtpTimeouts: Timings['smtp'],
  logger: Logger,
): { readonly senders: AlertSenders & { readonly mail: SendNotice }; readonly close: () => Promise<void> } {
  // A mailer of its own, whose failure raises no alert: that would be mailed the same way.
  const mailer = createMailer({ mail }, smtpTimeouts, createChildWithoutAlerts(logger));
  const client = createOutboundClient(outboundAllow);
  const context = { siteName: site.name, timeZone };
  const { post } = alerts;

  return {
    senders: {
      mail: async (notice, { key, recipients }, signal) => {
        const to = selectMailboxes(alerts.email, recipients);
        if (to.length === 0) return [];
        const content = renderMail(writeAlertMail(notice, context));
        const { deferred } = await mailer.send({ key, to, ...content, headers: {} }, { signal });

        return deferred;
      },
      ...(post && {
        post: async (notice, _envelope, signal) => {
          const response = await postChatMessage(post, writeAlertPost(notice, context), client, signal);
          if (!isSuccess(response)) throw classifyResponse(getChatFormat(post), response);

          return [];
        },
      }),
    },
    close: async () => {
      mailer.close();
      await client.close();
    },
  };
}
