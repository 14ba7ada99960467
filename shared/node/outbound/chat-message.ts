import { cutText } from '../../cut-text.ts';
import type { ChatFormat } from '../config/settings.ts';
import type { OutboundClient, OutboundResponse } from './outbound-client.ts';

/** Adds a zero-width space after each `@`, so that the text mentions nobody. */
export const breakMentions = (text: string): string => text.replaceAll('@', '@\u200b');

/** A message for a chat, or for a program where the format is `json`. */
export interface ChatMessage {
  readonly title: string;
  /** Sentences, a line each. They may be a stranger's words: no format runs what is in them. */
  readonly lines: readonly string[];
  /** Where the message leads; its URL is the site's own. */
  readonly link: { readonly label: string; readonly url: string } | null;
  readonly isUrgent: boolean;
  /** What a program is given instead of sentences. */
  readonly data: Readonly<Record<string, unknown>>;
}

interface ChatPost {
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Characters of a message; Discord accepts 2,000. */
const MAX_LENGTH = 1_900;

const hasHost = (hostname: string, domain: string) =>
  hostname === domain || hostname.endsWith(`.${domain}`);

/** The format that a service's own address is known for; `json` for any other host. */
export function detectChatFormat({ hostname }: URL): ChatFormat {
  if (hostname === 'hooks.slack.com') return 'slack';
  if (
    ['webhook.office.com', 'logic.azure.com', 'powerplatform.com'].some((domain) => hasHost(hostname, domain))
  ) {
    return 'teams';
  }
  if (hostname === 'chat.googleapis.com') return 'googlechat';
  if (hasHost(hostname, 'discord.com') || hasHost(hostname, 'discordapp.com')) return 'discord';

  return hostname.startsWith('ntfy.') ? 'ntfy' : 'json';
}

const join = ({ title, lines }: ChatMessage) => [title, ...lines].join('\n');

const truncate = (message: ChatMessage): ChatMessage => ({
  ...message,
  lines: cutText(message.lines.join('\n'), MAX_LENGTH - message.title.length).split('\n'),
});

/** Takes apart Slack's control characters, `@all` of Mattermost, and Markdown's links and pictures. */
const escapeForSlack = (text: string) =>
  breakMentions(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')).replaceAll('](', ']\u200b(');

/** Google Chat has no escape; `<users/all>` would notify everybody. */
const escapeForGoogle = (text: string) => text.replaceAll('<', '‹').replaceAll('>', '›');

const composeText = (message: ChatMessage, escape: (text: string) => string) =>
  [escape(join(message)), ...(message.link ? [`<${message.link.url}|${message.link.label}>`] : [])].join('\n');

const escapeMarkdown = (text: string) => text.replace(/[\\`*_~|>[\]()#-]/g, '\\$&');

/** The longest text that Discord accepts. */
const MAX_DISCORD_LENGTH = 2_000;

function composeMarkdown(message: ChatMessage): string {
  const link = message.link ? `\n[${message.link.label}](${message.link.url})` : '';

  const text = cutText(escapeMarkdown(join(message)), MAX_DISCORD_LENGTH - link.length);

  // Nor half of an escaped character: its backslash would escape what follows.
  return text.replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\$/, '') + link;
}

/** An adaptive card of runs of text, which unlike blocks render no Markdown. */
const makeTeamsCard = ({ title, lines, link }: ChatMessage) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [title, ...lines].map((text, index) => ({
          type: 'RichTextBlock',
          inlines: [{ type: 'TextRun', text, ...(index === 0 && { weight: 'bolder', size: 'medium' }) }],
        })),
        ...(link && { actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }] }),
      },
    },
  ],
});

/** The longest message that ntfy shows as one. */
const MAX_NTFY_BYTES = 4_096;

/** The start of a text in so many bytes of UTF-8; what is left of a character is left out. */
const cutBytes = (text: string, max: number) =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, max), { stream: true });

/** ntfy accepts JSON at its root, with the topic that its address ends with. */
function makeNtfyPost(url: URL, { title, lines, link, isUrgent }: ChatMessage): ChatPost {
  const topic = url.pathname.split('/').filter((part) => part !== '').at(-1) ?? '';
  const root = new URL(url);
  root.pathname = url.pathname.replace(/[^/]*\/?$/, '');

  return {
    url: root.href,
    body: {
      topic,
      title,
      message: cutBytes(lines.join('\n'), MAX_NTFY_BYTES),
      ...(isUrgent && { priority: 4, tags: ['warning'] }),
      ...(link && { click: link.url, actions: [{ action: 'view', ...link }] }),
    },
  };
}

/** What is posted to an address so that a message arrives there in its format. */
export function composeChatPost(address: string, format: ChatFormat, whole: ChatMessage): ChatPost {
  const message = truncate(whole);
  switch (format) {
    case 'slack':
      return { url: address, body: { text: composeText(message, escapeForSlack), unfurl_links: false } };
    case 'teams':
      return { url: address, body: makeTeamsCard(message) };
    case 'googlechat':
      return { url: address, body: { text: composeText(message, escapeForGoogle) } };
    case 'discord':
      return {
        url: address,
        // No mention of anybody, and no preview of links.
        body: { content: composeMarkdown(message), allowed_mentions: { parse: [] }, flags: 4 },
      };
    case 'ntfy':
      return makeNtfyPost(new URL(address), message);
    case 'json':
      return { url: address, body: message.data };
  }
}

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
