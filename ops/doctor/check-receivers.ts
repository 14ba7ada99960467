import type { Config } from '../../shared/node/config/config.ts';
import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { fail, pass, type Check, type CheckOutcome } from '../../shared/node/monitoring/check.ts';
import { describeCallFailure } from '../../shared/node/outbound/classify-response.ts';
import { createOutboundClient } from '../../shared/node/outbound/outbound-client.ts';
import { describeChat, type ChatAddress } from '../../shared/node/outbound/chat-message.ts';
import { Second } from '../../shared/time.ts';

/** Shorter than the timeout of `runCheck`. */
const TIMEOUT = 9 * Second;

async function reach(address: ChatAddress, outboundAllow: Config['outboundAllow']): Promise<CheckOutcome> {
  const receiver = describeChat(address);
  const client = createOutboundClient(outboundAllow);
  const reached = pass(`${receiver} can be reached; \`ops alerts test\` posts a message.`);

  try {
    // Call only the origin, because a call to the complete address might post a message.
    const { origin } = new URL(address.url);
    await client.call({ method: 'GET', url: origin, headers: {}, signal: AbortSignal.timeout(TIMEOUT) });

    return reached;
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;

    // A redirect shows that the host responds.
    return error.reason === 'http-redirect' ? reached : fail(`${receiver}: ${describeCallFailure(error)}`);
  } finally {
    await client.close();
  }
}

/** Checks that the hosts of CHAT_URL and ALERT_URL may be called and respond, without posting a message. */
export function checkReceivers({ chat, alerts, outboundAllow }: Config): readonly Check[] {
  const receivers = [
    { name: 'chat', address: chat },
    { name: 'alerts', address: alerts.post },
  ];

  return receivers.flatMap(({ name, address }) =>
    address === undefined ? [] : [{ name, run: () => reach(address, outboundAllow) }],
  );
}
