import type { Config } from '../../shared/node/config/config.ts';
import { DeliveryError } from '../../shared/node/deliveries/delivery-error.ts';
import { fail, pass, type Check } from '../../shared/node/monitoring/check.ts';
import { describeCallFailure } from '../../shared/node/outbound/classify-response.ts';
import { createOutboundClient } from '../../shared/node/outbound/outbound-client.ts';
import { describeChat } from '../../shared/node/outbound/post-chat-message.ts';
import { Second } from '../../shared/time.ts';

/** Shorter than that of `runCheck`. */
const TIMEOUT = 9 * Second;

/** Any response shows that the host is reached; one elsewhere leads to pages for people. */
const isReached = ({ reason }: DeliveryError) => reason === 'http-redirect';

/** Checks that the host of CHAT_URL may be called and answers, without a message in the chat. */
export const checkChat = ({ chat, outboundAllow }: Config): readonly Check[] =>
  chat === undefined
    ? []
    : [
        {
          name: 'chat',
          run: async () => {
            const client = createOutboundClient(outboundAllow);
            const reached = pass(`${describeChat(chat)} can be reached; \`ops alerts test\` posts a message.`);

            try {
              // The origin only: a chat might take a call of the whole address for a message.
              const url = new URL(chat.url).origin;
              await client.call({ method: 'GET', url, headers: {}, signal: AbortSignal.timeout(TIMEOUT) });

              return reached;
            } catch (error) {
              if (!(error instanceof DeliveryError)) throw error;

              return isReached(error) ? reached : fail(`${describeChat(chat)}: ${describeCallFailure(error)}`);
            } finally {
              await client.close();
            }
          },
        },
      ];
