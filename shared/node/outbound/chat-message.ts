import { cutText } from '../../cut-text.ts';
import type { ChatFormat } from '../config/settings.ts';
import type { OutboundClient, OutboundResponse } from './outbound-client.ts';

/** Adds a zero-width space after each `@`, so that the text mentions nobody. */
export const breakMentions = (text: string): string => text.replaceAll('@', '@\u200b');

/** A message for a chat, or for a program if the format is `json`. */
export interface ChatMessage {
  readonly title: string;
  /** One sentence per line. They may quote a visitor, so every format escapes them. */
  readonly lines: readonly string[];
  /** A link to the site. */
  readonly link: { readonly label: string; readonly url: string } | null;
  readonly isUrgent: boolean;
  /** Sent instead of the sentences if the format is `json`. */
  readonly data: Readonly<Record<string, unknown>>;
}

interface ChatPost {
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Maximum length of a message. Discord accepts 2,000 characters. */
const MAX_LENGTH = 1_900;

const hasHost = (hostname: string, domain: string) =>
  hostname === domain || hostname.endsWith(`.${domain}`);

/** Returns the format of a known service, or `json` for any other host. */
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

/** Escapes Slack's control characters, Mattermost's `@all`, and Markdown links and pictures. */
const escapeForSlack = (text: string) =>
  breakMentions(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')).replaceAll('](', ']\u200b(');

/** Replaces angle brackets. Google Chat has no escape syntax, and `<users/all>` would notify everyone. */
const escapeForGoogle = (text: string) => text.replaceAll('<', '‹').replaceAll('>', '›');

const composeText = (message: ChatMessage, escape: (text: string) => string) =>
  [escape(join(message)), ...(message.link ? [`<${message.link.url}|${message.link.label}>`] : [])].join('\n');

const escapeMarkdown = (text: string) => text.replace(/[\\`*_~|>[\]()#-]/g, '\\$&');

/** Maximum length of text that Discord accepts. */
const MAX_DISCORD_LENGTH = 2_000;

function composeMarkdown(message: ChatMessage): string {
  const link = message.link ? `\n[${message.link.label}](${message.link.url})` : '';

  const text = cutText(escapeMarkdown(join(message)), MAX_DISCORD_LENGTH - link.length);

  // Remove a backslash whose character was cut off, because it would escape the link.
  return text.replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\$/, '') + link;
}

/** Makes an adaptive card from text runs, which don't render Markdown, unlike text blocks. */
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

/** ntfy turns longer messages into attachments. */
const MAX_NTFY_BYTES = 4_096;

/** Truncates text to `max` bytes of UTF-8 without splitting a character. */
const cutBytes = (text: string, max: number) =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, max), { stream: true });

/** Makes the request for ntfy, which accepts JSON only at its root. The topic is the last segment of the URL. */
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

/** Returns the URL and body of the request that posts a message. */
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
        // This flag suppresses link previews.
        body: { content: composeMarkdown(message), allowed_mentions: { parse: [] }, flags: 4 },
      };
    case 'ntfy':
      return makeNtfyPost(new URL(address), message);
    case 'json':
      return { url: address, body: message.data };
  }
}

/** ALERT_URL or CHAT_URL with its format. The URL is a secret. */
export interface ChatAddress {
  readonly url: string;
  /** If undefined, the host in `url` determines the format. */
  readonly format: ChatFormat | undefined;
}

/** Returns the configured format, or the one detected from the host. */
export const getChatFormat = ({ url, format }: ChatAddress): ChatFormat =>
  format ?? detectChatFormat(new URL(url));

/** Returns the format and the host, but not the path, which is a secret. */
export const describeChat = (address: ChatAddress): string =>
  `${getChatFormat(address)} at ${new URL(address.url).hostname}`;

/** Posts a message and returns any response. @throws DeliveryError if there is no response */
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
