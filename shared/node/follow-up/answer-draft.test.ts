import { expect, test } from 'vitest';
import { draftAnswer } from './answer-draft.ts';

const context = { siteName: 'Praline', bookingUrl: 'https://calendar.example.com/a?b=c&d' };
const visitor = { name: 'Dana Smith', email: 'dana@example.org', company: 'Smith & Sons', emailRefusedAt: null };

function readDraft(changes = {}, settings: Parameters<typeof draftAnswer>[1] = context) {
  const { label = '', url = '' } = draftAnswer({ ...visitor, ...changes }, settings) ?? {};
  const { pathname, searchParams } = new URL(url);

  return { label, url, to: pathname, keys: [...searchParams.keys()], subject: searchParams.get('subject'), body: searchParams.get('body') };
}

test('the draft greets the visitor by name, contains the booking link, and uses CR LF line endings', () => {
  const { label, to, subject, body } = readDraft();

  expect({ label, to, subject }).toEqual({ label: 'Reply to Dana', to: 'dana@example.org', subject: 'Your request to Praline' });
  expect(body).toMatch(/^Hi Dana,\r\n\r\nThanks for asking for an assessment\. .* about Smith & Sons, /);
  expect(body).toContain(`pick a time yourself: ${context.bookingUrl}\r\n\r\nBest regards\r\n`);
  expect(body).not.toMatch(/[{}]|[^\r]\n/);
});

test('the draft omits the booking paragraph if there is no booking link', () => {
  expect(readDraft({}, { ...context, bookingUrl: undefined }).body).toMatch(/confirm one\.\r\n\r\nBest regards\r\n$/);
});

test.each([
  ['Dr. Dana Smith', 'Dana'],
  ['ms dana smith', 'dana'],
  ['Dana', 'Dana'],
  ['SMITH, Dana', 'Dana'],
  ['🚀 Dana', 'Dana'],
  ['Dana'.repeat(50), 'Dana'.repeat(5)],
  ['山田太郎', '山田太郎'],
  ['evil.example', 'evil[.]example'],
])('the button for %s says Reply to %s', (name, words) => {
  expect(readDraft({ name }).label).toBe(`Reply to ${words}`);
});

test.each([
  ['a name that would add a header', 'x&bcc=y@example.org\r\nBcc: z', 'x'],
  ['a long name in another script', '山'.repeat(200), '山'.repeat(200)],
  ['an unpaired surrogate', 'Da\ud800na', '\udc00'],
  ['a placeholder as a name', '{company}', '{visitor}{booking}'],
])('%s yields a URL that mail programs can open, with only a subject and a body', (_what, name, company) => {
  const { url, to, keys } = readDraft({ name, company });

  expect(url.length).toBeLessThanOrEqual(2_000);
  expect({ to, keys: keys.filter((key) => key !== 'body') }).toEqual({ to: 'dana@example.org', keys: ['subject'] });
});
