import type { ChatFormat } from '../config/settings.ts';
import { composeChatPost, detectChatFormat, type ChatMessage } from './chat-message.ts';
import type { OutboundClient, OutboundResponse } from './outbound-client.ts';

/** Where messages are posted: the value of ALERT_URL or CHAT_URL, which is a secret. */
export interface ChatAddress {
  readonly url: string;
  /** Undefined: the host of `url` decides. */
  readonly format: ChatFormat | undefined;
}

/** The configured format of an address, or the one its host is known for. */
export const getChatFormat = ({ url, format }: ChatAddress): ChatFormat =>
  format ?? detectChatFormat(new URL(url));

/** The format and the host: what may be shown of an address, whose path is a secret. */
export const describeChat = (address: ChatAddress): string =>
  `${getChatFormat(address)} at ${new URL(address.url).hostname}`;

/** Posts a message; resolves to any response, throws DeliveryError without one. */
export function postChatMessage(
  address: ChatAddress,
  message: ChatMessage,
  client: OutboundClient,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const { url, body } = composeChatPost(address.url, getChatFormat(address), message);

  return client.call({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
}
