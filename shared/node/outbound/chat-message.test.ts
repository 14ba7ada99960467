import { describe, expect, test } from 'vitest';
import { chatFormats } from '../config/settings.ts';
import { composeChatPost, detectChatFormat } from './chat-message.ts';

const message = {
  title: '[Praline] Alert: delivery-dead',
  lines: ['<!channel> *A* mail & an export.', 'Reason: smtp_550'],
  link: null,
  isUrgent: true,
  data: { alert: 'delivery-dead' },
};
const link = { label: 'Open the request', url: 'https://example.com/follow-up/a.b.c' };

test.each([
  ['https://hooks.slack.com/services/T0/B0/x', 'slack'],
  ['https://acme.webhook.office.com/webhookb2/x', 'teams'],
  ['https://prod-12.westeurope.logic.azure.com:443/workflows/x', 'teams'],
  ['https://default1.2.environment.api.powerplatform.com/workflows/x?sig=y', 'teams'],
  ['https://chat.googleapis.com/v1/spaces/x/messages?key=y', 'googlechat'],
  ['https://discord.com/api/webhooks/1/x', 'discord'],
  ['https://discordapp.com/api/v10/webhooks/1/x', 'discord'],
  ['https://ntfy.sh/topic', 'ntfy'],
  ['https://ntfy.example.com/topic', 'ntfy'],
  ['https://example.com/hook', 'json'],
  ['https://hooks.slack.com.example.com/', 'json'],
  ['https://notdiscord.com/', 'json'],
])('%s has the format %s', (url, format) => {
  expect(detectChatFormat(new URL(url))).toBe(format);
});

describe('a post', () => {
  const compose = (format: (typeof chatFormats)[number], url = 'https://example.com/hook') =>
    composeChatPost(url, format, message);

  test('to Slack is text that mentions nobody', () => {
    expect(compose('slack').body).toEqual({
      text: '[Praline] Alert: delivery-dead\n&lt;!channel&gt; *A* mail &amp; an export.\nReason: smtp_550',
      unfurl_links: false,
    });
  });

  test('to Teams is a card of plain text runs', () => {
    expect(compose('teams').body).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            version: '1.4',
            body: [message.title, ...message.lines].map((text) => ({
              type: 'RichTextBlock',
              inlines: [{ type: 'TextRun', text }],
            })),
          },
        },
      ],
    });
  });

  test('to Google Chat is text that mentions nobody', () => {
    expect(compose('googlechat').body).toEqual({ text: expect.stringContaining('‹!channel›') as string });
  });

  test('to Discord is escaped, mentions nobody and shows no previews', () => {
    expect(compose('discord').body).toEqual({
      content: expect.stringContaining('\\*A\\* mail & an export.\nReason: smtp\\_550') as string,
      allowed_mentions: { parse: [] },
      flags: 4,
    });
  });

  test('to ntfy is posted to the root with its topic, and has a priority only if it is urgent', () => {
    expect(compose('ntfy', 'https://ntfy.sh/our-topic?auth=x')).toEqual({
      url: 'https://ntfy.sh/?auth=x',
      body: { topic: 'our-topic', title: message.title, message: message.lines.join('\n'), priority: 4, tags: ['warning'] },
    });
    expect(compose('ntfy', 'https://example.com/push/our-topic').url).toBe('https://example.com/push/');
    const calm = composeChatPost('https://ntfy.sh/our-topic', 'ntfy', { ...message, isUrgent: false });
    expect(Object.keys(calm.body)).toEqual(['topic', 'title', 'message']);
  });

  test('ends with a link in the chat’s own syntax, even if the text is truncated', () => {
    const linked = { ...message, lines: ['*'.repeat(10_000)], link };
    const composeLinked = (format: (typeof chatFormats)[number]) =>
      composeChatPost('https://ntfy.sh/topic', format, linked).body;

    for (const format of ['slack', 'googlechat'] as const) {
      expect(composeLinked(format)).toMatchObject({ text: expect.stringMatching(/\n<https:\/\/example\.com\/follow-up\/a\.b\.c\|Open the request>$/) as string });
    }
    const { content } = composeLinked('discord') as { content: string };
    expect(content.endsWith(`\n[${link.label}](${link.url})`)).toBe(true);
    expect(content).toHaveLength(2_000);
    expect(composeLinked('teams')).toMatchObject({
      attachments: [{ content: { actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }] } }],
    });
    expect(composeLinked('ntfy')).toMatchObject({ click: link.url, actions: [{ action: 'view', ...link }] });
  });

  test.each(chatFormats)('in the format %s has a limited length and never splits a character', (format) => {
    for (const padding of ['', 'x', 'xx', 'xxx']) {
      const lines = [`${padding}${'😀'.repeat(3_000)}`, '*'.repeat(10_000)];
      const body = JSON.stringify(composeChatPost('https://ntfy.sh/topic', format, { ...message, lines }).body);

      expect(body).not.toMatch(/\\ud[89a-f]/i);
      expect(body.length).toBeLessThan(6_000);
    }
  });

  test('to Discord is never truncated within an escape sequence', () => {
    for (const padding of ['', 'x']) {
      const { body } = composeChatPost('https://example.com/x', 'discord', { ...message, lines: [padding + '*'.repeat(3_000)], link });

      expect(body['content']).toMatch(/[^\\](?:\\\\)*(?:\\\*)+\n\[/);
    }
  });

  test('to ntfy has a message of at most 4,096 bytes', () => {
    const { body } = composeChatPost('https://ntfy.sh/topic', 'ntfy', { ...message, lines: ['中'.repeat(3_000)] });
    const bytes = Buffer.byteLength(String(body['message']));

    expect(bytes).toBeLessThanOrEqual(4_096);
    expect(bytes).toBeGreaterThan(4_090);
    expect(body['message']).toMatch(/^中+$/);
  });

  test.each([
    ['mentions nobody', '@all @channel a@b', '@\u200ball @\u200bchannel'],
    ['hides no link and loads no picture', '[Sign in](1572395042) ![](1572395042)', '[Sign in]\u200b(1572395042) ![]\u200b(1572395042)'],
  ])('%s in other chats that use Slack’s format', (_what, line, shown) => {
    const { body } = composeChatPost('https://example.com/x', 'slack', { ...message, lines: [line] });

    expect(body['text']).toContain(shown);
  });

  test('in the json format contains only the data', () => {
    expect(compose('json')).toEqual({ url: 'https://example.com/hook', body: { alert: 'delivery-dead' } });
  });
});
