import { expect, test } from 'vitest';
import { writeHeldMail } from '../../../jobs/held-requests/send-held-mail.ts';
import { contactLimits } from '../../../shared/contact/contact-schema.ts';
import { renderMail } from '../../../shared/node/mail/render-mail.ts';
import { readLinkToken, signLinkToken } from '../../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../../shared/paths.ts';
import { sampleSubmission } from '../../support/sample-mails.ts';
import { listLinked, subjectOfOne, SECRET, setUp, settings } from './mail-rounds.ts';

test('a mail to sales lists held requests with the sender, the time, the reasons, the start of the message and a link', async () => {
  const { sink, round, hold } = await setUp();
  const message = `See https://evil.example/login\n${'long '.repeat(200)}`;
  const id = await hold('Acme <b>& Sons', {
    name: 'Ada www.evil.example',
    message,
    quarantine_reason: 'honeypot,too-fast,links',
    received_at: new Date('2026-11-03T09:00:00Z'),
  });

  await round();

  const [held, ...others] = sink.received;
  expect(others).toEqual([]);
  expect(held?.mail.subject).toBe(subjectOfOne);
  expect(held?.mail.to?.map(({ address }) => address)).toEqual(['sales@example.com', 'owner@example.com']);
  const text = (held?.mail.text ?? '').replace(/\s+/g, ' ');
  expect(text).toContain('Open it and decide whether it’s real.');
  expect(text).toContain('Acme <b>& Sons');
  expect(text).toContain('Held because: hidden field filled in, sent within two seconds, link in the name');
  expect(text).toContain('Name: Ada www[.]evil[.]example');
  expect(text).toContain('Email: ada[@]example[.]org');
  expect(text).toContain('Received: Tue, Nov 3, 2026, 9:00 AM UTC');
  expect(text).toContain('Message: See https[:]//evil[.]example/login long');
  expect(text.match(/long/g)?.length).toBeLessThan(70);
  const html = held?.mail.html ?? '';
  expect(html).not.toMatch(/evil\.example|<b>& /);
  const links = [...html.matchAll(/href="https:\/\/www\.example\.com\/follow-up\/held\/([^"]+)"/g)];
  expect(links.map(([, token]) => readLinkToken('held', token ?? '', [SECRET]))).toEqual([id]);
});

test('no mail is sent about requests that were released, marked as spam, erased or never held', async () => {
  const { database, sink, round, hold } = await setUp();
  await hold('Released Sweets', { quarantined_at: null, released_at: database.fn.now() });
  await hold('Spam Sweets', { spam_at: database.fn.now() });
  await hold('Erased Sweets', { anonymised_at: database.fn.now() });
  await hold('Open Sweets', { quarantined_at: null, quarantine_reason: null });

  await round();

  expect(sink.countOffers()).toBe(0);
  expect(await database('held_mails')).toEqual([]);
});

test('a mail lists at most 120 requests in order of arrival, and likely spam waits for the next mail', async () => {
  const { sink, round, hold, letPass, listSubjects } = await setUp();
  const holdMany = async (count: number, company: string, quarantine_reason: string) => {
    for (let number = 1; number <= count; number += 1) {
      await hold(`${company} ${number}`, { quarantine_reason });
    }
  };
  await holdMany(60, 'Trap', 'honeypot,links');
  await holdMany(60, 'Crowd', 'links,network-rate');
  await holdMany(5, 'Doubt', 'links');

  await round();
  await letPass('1 hour');
  await round();
  await letPass('1 hour');
  await round();

  expect(listSubjects()).toEqual([
    '[Praline] 125 requests are held as possible spam',
    '[Praline] 5 requests are held as possible spam',
  ]);
  const [first, second] = sink.received.map(({ mail }) => mail.text ?? '');
  const name = (company: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${company} ${from + index}`);
  expect(first?.match(/^(?:Trap|Crowd|Doubt) \d+$/gm)).toEqual(name('Trap', 1, 20));
  expect(first?.match(/^(?:Trap|Crowd|Doubt) \d+(?=: )/gm)).toEqual([
    ...[...name('Trap', 21, 60), ...name('Crowd', 1, 55), ...name('Doubt', 1, 5)],
  ]);
  expect(first?.replace(/\s+/g, ' ')).toContain('And 5 more, which will be in the next mail. To list them all: ops submissions list --quarantined.');
  expect(second?.match(/^Crowd \d+$/gm)).toEqual(name('Crowd', 56, 60));
});

test.each([
  ['Latin letters', 'x', 20],
  ['Chinese characters', '糖', 0],
  ['characters with the longest HTML entities', '"', 0],
])('Gmail shows a mail with 120 requests in full, each with its link, even if every field is filled with as many %s as allowed', (_what, character, minimumInFull) => {
  const requests = Array.from({ length: 120 }, (_, index) => ({
    ...sampleSubmission,
    id: `0198b7f0-6a3c-7c1e-9d52-${String(index).padStart(12, '0')}`,
    name: `www.x.example ${character.repeat(contactLimits.name.max - 14)}`,
    email: `ada@${'x'.repeat(contactLimits.email.max - 12)}.example`,
    company: `evil.example ${character.repeat(contactLimits.company.max - 13)}`,
    message: `https://a.example www.b.example c.example ${character.repeat(contactLimits.message.max - 42)}`,
    quarantineReasons: ['honeypot', 'too-fast', 'links', 'network-rate', 'total-rate'] as const,
  }));
  const getDecisionUrl = (id: string) =>
    settings.publicUrl + pathTo.heldRequest(signLinkToken('held', id, [SECRET]));
  const write = (wasRefused: boolean) =>
    renderMail(
      writeHeldMail(
        { requests, moreCount: 5, wasRefused },
        { ...settings, timeZone: 'America/Argentina/Buenos_Aires', getDecisionUrl },
      ),
    );
  const [mail, withoutText] = [write(false), write(true)];

  expect(mail.html.match(/Review this request/g)?.length ?? 0).toBeGreaterThanOrEqual(minimumInFull);
  for (const { html, text } of [mail, withoutText]) {
    expect(Buffer.byteLength(html)).toBeLessThan(102_000);
    for (const form of [html, text]) {
      expect(form).not.toMatch(/evil\.example|www\.[abx]\./);
      expect(listLinked(form)).toEqual(requests.map(({ id }) => id));
    }
  }
});
