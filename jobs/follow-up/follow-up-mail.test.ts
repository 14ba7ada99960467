import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { followUpStages } from '../../shared/deliveries/delivery.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { Hour } from '../../shared/time.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { makeTelUrl, writeFollowUpMail } from './follow-up-mail.ts';

/** Any code point, lone surrogates included. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));

const submission: Submission = {
  id: '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b',
  name: 'Ada <Example>',
  email: 'ada@example.org',
  company: 'Sweets & Sons',
  phone: null,
  industry: 'retail-ecommerce',
  message: '<script>alert(1)</script>\nSecond line',
  submittedAt: new Date('2025-11-03T09:00:00Z'),
  receivedAt: new Date('2025-11-03T09:00:02Z'),
  source: { utm_source: 'newsletter', referrer: 'www.example.net', landing_path: '/about' },
  contactedAt: null,
  anonymizedAt: null,
  quarantinedAt: null,
  quarantineReason: null,
  spamAt: null,
  heldMailId: null,
  releasedAt: null,
};

const context = {
  siteName: 'Praline',
  timeZone: 'Europe/Vienna',
  dueAfter: 24 * Hour,
  contactedUrl: 'https://example.com/follow-up/token',
};

const write = (changes: Partial<Submission> = {}, stage: 'new' | 'reminder' | 'due' = 'new') =>
  renderMail(writeFollowUpMail(stage, { ...submission, ...changes }, context));

describe.each(followUpStages)('the mail %s', (stage) => {
  test('says in both forms who asked, when, and by when to answer in the configured time zone', () => {
    const { text, html } = write({ phone: '+1 555 0100' }, stage);

    for (const part of [
      'Ada <Example>',
      'ada@example.org',
      'Sweets & Sons',
      '+1 555 0100',
      'Retail & E-commerce',
      'Monday, November 3, 2025 at 10:00 AM GMT+1 (Europe/Vienna)',
      'Tuesday, November 4, 2025 at 10:00 AM GMT+1 (Europe/Vienna)',
      'Second line',
      'Mark as contacted',
      'https://example.com/follow-up/token',
    ]) {
      expect(text).toContain(part);
      const escaped = part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      expect(html).toContain(escaped);
    }
    expect(text).toMatch(/^Campaign source: +newsletter$/m);
    expect(text).toMatch(/^Referring site: +www\[\.\]example\[\.\]net$/m);
    expect(text).toMatch(/^First page of the visit: +\/about$/m);
    expect(text).toContain('> <script>alert(1)</script>\n> Second line');
    expect(text).toContain('\nMark as contacted: https://example.com/follow-up/token\n');
  });

  test('escapes everything the visitor wrote, and links nothing of it', () => {
    const foreign = '"><a href="https://evil.example">x</a> www.evil.example tom@evil.example';
    const { html } = write({ name: foreign, company: foreign, message: foreign }, stage);

    expect(html).not.toMatch(/<script|<a href="https:\/\/evil/);
    expect(html.replace(/<title>.*<\/title>/, '')).not.toContain('evil.example');
    expect(html.match(/href="[^"]*"/g)).toEqual([
      'href="mailto:ada@example.org"',
      'href="https://example.com/follow-up/token"',
    ]);
  });
});

test('what was not given is not named', () => {
  const { text, html } = write({ industry: null, message: null, source: null });

  for (const label of ['Phone', 'Industry', 'Message', 'Campaign', 'Held']) {
    expect(text).not.toContain(label);
    expect(html).not.toContain(label);
  }
});

test('the visitor’s number is dialed by a click where it is one, and read where it is none', () => {
  expect(write({ phone: '+1 (555) 010-0199' }).html).toContain('href="tel:+15550100199"');
  const { html } = write({ phone: 'ask evil.example' });
  expect(html).not.toContain('tel:');
  expect(html).toContain('ask evil[.]example');
});

test('only the mail at the promised time calls the request overdue', () => {
  expect(write({}, 'due').text).toContain('Answer by (overdue since): Tuesday, November 4, 2025');
  expect(write({}, 'new').text).not.toContain('overdue');
  expect(write({}, 'reminder').text).not.toContain('overdue');
});

test('a released request says until when it was held, and its time counts from there', () => {
  const { text } = write({ releasedAt: new Date('2025-11-05T12:00:00Z') });

  expect(text).toMatch(/^Received: +Monday, November 3, 2025 at 10:00 AM/m);
  expect(text).toMatch(/^Held as possible spam until: +Wednesday, November 5, 2025 at 1:00 PM/m);
  expect(text).toMatch(/^Answer by: +Thursday, November 6, 2025 at 1:00 PM/m);
});

test('the lines of the plain form are short, but for links and words that are longer', () => {
  const { text } = write({ message: 'word '.repeat(1_000) });
  const long = text.split('\n').filter((line) => line.length > 78 && !line.includes('https://'));

  // Times stay on one line.
  expect(long.every((line) => line.includes('Europe/Vienna'))).toBe(true);
});

test('marks of direction and hidden characters are gone from both forms', () => {
  const { text, html } = write({ name: 'Ada \u202eelpmaxE\u0007\u200b', message: 'a\u2066b' });

  for (const form of [text, html]) expect(form).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u0007]/);
  expect(text).toContain('Ada elpmaxE');
});

test('the subject holds nothing that a mail program would decode', () => {
  const { subject } = writeFollowUpMail(
    'new',
    { ...submission, company: '=?utf-8?Q?=E2=80=AEgpj.exe_=0D=0AX?=' },
    context,
  );

  expect(subject).not.toContain('=?');
});

test('the subject keeps to one line of at most eighty characters of the company', () => {
  const company = `A\u202e${'b'.repeat(100)}\r\nBcc: x@example.org`;

  expect(write({ company }, 'due').subject).toBe(`[Praline] 24 h follow-up due: A ${'b'.repeat(78)}`);
});

test.each([
  ['+1 555 0100', 'tel:+15550100'],
  ['+1 (555) 010-0199', 'tel:+15550100199'],
  ['(+43) 1/234.56', 'tel:+43123456'],
  ['+43 (0) 1 234567', 'tel:+431234567'],
  ['(0) 1 234567', 'tel:01234567'],
  ['555 0100 ext. 12', 'tel:5550100'],
  ['555 0100 x12', 'tel:5550100'],
  ['555 0100 #12', 'tel:5550100'],
  ['０１２３４５', 'tel:012345'],
])('%s is dialed as %s', (phone, url) => {
  expect(makeTelUrl(phone)).toBe(url);
});

test.each(['', '+', '12', 'call me', '1-800-FLOWERS', '555 0100 or 555 0101', '1+2345', '1'.repeat(16), '*31#5550100', '5550100;phone-context=x'])(
  '‘%s’ is no number to dial',
  (phone) => {
    expect(makeTelUrl(phone)).toBeUndefined();
  },
);

test('whatever a visitor writes, the mail’s elements and links stay its own', () => {
  const anyText = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 }),
    fc.constantFrom('<b>', '"><a href="https://evil.example">', '&lt;', "' onclick='", '</td></table>', 'evil.example'),
  );
  /** Line breaks apart, which a message may have. */
  const listTags = (html: string) => (html.match(/<[^>]*>/g) ?? []).filter((tag) => tag !== '<br>');
  const source = { utm_source: 'x', referrer: 'x', landing_path: 'x' };
  const usual = listTags(write({ name: 'x', company: 'x', message: 'x', source }).html);

  fc.assert(
    fc.property(anyText, anyText, anyText, anyText, (name, company, message, visit) => {
      const changed = { utm_source: visit, referrer: visit, landing_path: visit };
      const { html, subject } = write({ name, company, message, source: changed });

      expect(listTags(html)).toEqual(usual);
      expect(subject).not.toMatch(/[\r\n\0]/);
    }),
  );
});
