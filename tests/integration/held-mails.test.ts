import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { writeHeldMail } from '../../jobs/held-requests/held-mail.ts';
import { makeHeldMail } from '../../jobs/held-requests/send-held-mail.ts';
import { createFileMailer } from '../../shared/node/mail/file-mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { createSmtpMailer } from '../../shared/node/mail/smtp-mailer.ts';
import { runRetention } from '../../shared/node/retention/retention.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { contactLimits } from '../../shared/contact/contact-schema.ts';
import { holdDeliveries, releaseDeliveries } from '../../shared/node/deliveries/delivery-hold.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { readLinkToken, signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { Second } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { makeFolder, setUpOps, storeSubmission } from '../support/ops-fixture.ts';
import { sampleSubmission } from '../support/sample-mails.ts';
import { startSmtpSink, type SinkFault } from '../support/smtp-sink.ts';

const logger = createLogger({ level: 'silent', process: 'test' });
const signal = new AbortController().signal;
const SECRET = 's'.repeat(32);
const settings = {
  siteName: 'Praline',
  publicUrl: 'https://www.example.com',
  linkSecrets: [SECRET],
  sales: ['sales@example.com', 'owner@example.com'],
  timeZone: 'UTC',
};

async function setUp(faults: readonly SinkFault[] = []) {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  const sink = await startSmtpSink();
  sink.faults.push(...faults);
  const timings = {
    ...productionTimings,
    // Short only where it is awaited: a busy machine must not cut off a mail.
    attempt: faults.some(({ kind }) => kind === 'hang-before') ? 1 * Second : productionTimings.attempt,
    heldMails: { ...productionTimings.heldMails, delay: 0 },
  };
  const mailer = createSmtpMailer(sink.url, 'site@example.com', timings.smtp, logger);
  onTestFinished(async () => {
    mailer.close();
    await sink.close();
  });
  const services = { database, mailer, timings, logger };
  /** What one worker does at each round. */
  const round = () => makeHeldMail(services, settings)(signal);
  const hold = (company: string, changes = {}) =>
    storeSubmission(database, {
      company,
      quarantined_at: database.fn.now(),
      quarantine_reason: 'too-fast',
      ...changes,
    });
  /** As if so much time had passed since whatever the mails wait for. */
  const letPass = (time: string) =>
    database('held_mails').update({
      lease_until: database.raw('lease_until - ?::interval', [time]),
      sent_at: database.raw('sent_at - ?::interval', [time]),
    });
  const listSubjects = () => sink.received.map(({ mail }) => mail.subject);

  return { database, sink, services, round, hold, letPass, listSubjects };
}

const one = '[Praline] 1 requests are held as possible spam';

test('a mail to sales has what is held: who, when, why, how the message begins, and where to decide', async () => {
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
  expect(held?.mail.subject).toBe(one);
  expect(held?.mail.to?.map(({ address }) => address)).toEqual(['sales@example.com', 'owner@example.com']);
  const text = (held?.mail.text ?? '').replace(/\s+/g, ' ');
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

test('what is held within the hour after a mail is in the next, and nothing is mailed twice', async () => {
  const { round, hold, letPass, listSubjects, sink } = await setUp();
  await hold('First Sweets');
  await round();
  await hold('Second Sweets');
  await hold('Third Sweets');

  await letPass('59 minutes');
  await round();
  expect(listSubjects()).toEqual([one]);
  await letPass('1 minute');
  await round();
  await letPass('1 hour');
  await round();

  expect(listSubjects()).toEqual([one, '[Praline] 2 requests are held as possible spam']);
  expect(sink.received[1]?.mail.text).not.toContain('First Sweets');
});

test('what was held half a minute ago is listed, not what the visitor’s browser may still release', async () => {
  const { database, services, sink, hold, listSubjects } = await setUp();
  const ago = (time: string) => ({ quarantined_at: database.raw('now() - ?::interval', [time]) });
  await hold('Old Sweets', ago('31 seconds'));
  await hold('Young Sweets', ago('1 second'));

  await makeHeldMail({ ...services, timings: productionTimings }, settings)(signal);

  expect(listSubjects()).toEqual([one]);
  expect(sink.received[0]?.mail.text).toContain('Old Sweets');
  expect(sink.received[0]?.mail.text).not.toContain('Young Sweets');
});

test('of several workers one sends the mail', async () => {
  const { sink, round, hold, letPass } = await setUp();
  await hold('Sweets');

  await Promise.all(Array.from({ length: 5 }, round));
  await letPass('59 minutes');
  await Promise.all(Array.from({ length: 5 }, round));

  expect(sink.received).toHaveLength(1);
});

test('no mail names what was released, marked as spam or erased, nor what is not held', async () => {
  const { database, sink, round, hold } = await setUp();
  await hold('Released Sweets', { quarantined_at: null, released_at: database.fn.now() });
  await hold('Spam Sweets', { spam_at: database.fn.now() });
  await hold('Erased Sweets', { anonymised_at: database.fn.now() });
  await hold('Open Sweets', { quarantined_at: null, quarantine_reason: null });

  await round();

  expect(sink.countOffers()).toBe(0);
  expect(await database('held_mails')).toEqual([]);
});

test('a mail whose requests are all decided before it could be sent is dropped, and delays no other', async () => {
  const { database, sink, round, hold, letPass, listSubjects } = await setUp([{ kind: 'refuse', code: 451 }]);
  const id = await hold('Sweets');
  await round();
  await database('contact_submissions').where({ id }).update({ spam_at: database.fn.now() });
  await letPass('5 minutes');
  await round();
  await hold('Other Sweets');
  await round();

  expect(listSubjects()).toEqual([one]);
  expect(sink.received[0]?.mail.text).toContain('Other Sweets');
});

test.each([
  ['refused for now', { kind: 'refuse', code: 451 }],
  ['refused permanently', { kind: 'refuse', code: 550 }],
  ['met with silence', { kind: 'hang-before' }],
] as const)('a mail that is %s is tried again later, with the same requests, and sent once', async (_what, fault) => {
  const { sink, round, hold, letPass, listSubjects } = await setUp([fault]);
  await hold('Sweets');

  await round();
  await round();
  expect(sink.countOffers()).toBe(1);
  await letPass('5 minutes');
  await round();
  await letPass('59 minutes');
  await round();

  expect(listSubjects()).toEqual([one]);
});

test('a mailbox that refuses a mail temporarily while another accepts it is counted in the log, not named', async () => {
  const { sink, round, hold, letPass } = await setUp();
  const warn = vi.spyOn(logger, 'warn');
  onTestFinished(() => warn.mockRestore());
  sink.refusedRecipients.set('owner@example.com', 450);
  await hold('Sweets');

  await round();
  await letPass('5 minutes');
  await round();

  expect(sink.received).toHaveLength(1);
  expect(warn.mock.calls).toMatchObject([[{ deferred: 1 }, expect.stringContaining('miss it')]]);
  expect(JSON.stringify(warn.mock.calls)).not.toContain('example.com');
});

test('a mail whose response is lost is sent a second time under the same Message-ID, and no third', async () => {
  const { database, sink, round, hold, letPass } = await setUp([{ kind: 'cut-after' }, { kind: 'cut-after' }]);
  await hold('Sweets');

  for (let rounds = 0; rounds < 5; rounds += 1) {
    await round();
    await letPass('5 minutes');
  }

  const [mail] = await database('held_mails').select('id');
  const ids = sink.received.map(({ mail: { messageId } }) => messageId);
  expect(ids).toEqual([`<held-${mail?.id}@example.com>`, `<held-${mail?.id}@example.com>`]);
});

test.each([1, 5])('a worker that dies %i times between handing over and recording it repeats one mail', async (deaths) => {
  const { services, sink, round, hold, letPass } = await setUp();
  await hold('Sweets');
  // The connection to PostgreSQL is lost after the hand-over: what is left is what a dead worker leaves.
  const makeFailing = () => {
    let writes = 0;

    return {
      ...services,
      database: new Proxy(services.database, {
        apply: (target, self, [table]: [string]) => {
          if (table === 'held_mails') writes += 1;
          if (writes > 1) throw new Error('connection lost');

          return Reflect.apply(target, self, [table]) as unknown;
        },
      }),
    };
  };

  for (let death = 0; death < deaths; death += 1) {
    await makeHeldMail(makeFailing(), settings)(signal).catch(() => undefined);
    await letPass('61 seconds');
  }
  await round();

  expect(sink.received).toHaveLength(2);
});

test('while deliveries are on hold nothing is mailed, and afterwards all of it', async () => {
  const { database, round, hold, listSubjects } = await setUp();
  await holdDeliveries(database);
  await hold('Sweets');

  await round();
  expect(listSubjects()).toEqual([]);
  await releaseDeliveries(database);
  await round();

  expect(listSubjects()).toEqual([one]);
});

test('a flood hides no other request: what is likely a person’s comes first, 120 in a mail, the rest with the next', async () => {
  const { sink, round, hold, letPass, listSubjects } = await setUp();
  const holdMany = async (count: number, company: string, quarantine_reason: string) => {
    for (let number = 1; number <= count; number += 1) {
      await hold(`${company} ${number}`, { quarantine_reason });
    }
  };
  await holdMany(60, 'Trap', 'honeypot,network-rate');
  await holdMany(60, 'Crowd', 'network-rate,links');
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
  expect(first?.match(/^(?:Trap|Crowd|Doubt) \d+$/gm)).toEqual([...name('Doubt', 1, 5), ...name('Crowd', 1, 15)]);
  expect(first?.match(/^(?:Trap|Crowd|Doubt) \d+(?=: )/gm)).toEqual([...name('Crowd', 16, 60), ...name('Trap', 1, 55)]);
  expect(first?.replace(/\s+/g, ' ')).toContain('And 5 more, which the next mail lists; all of them: ops submissions list --quarantined.');
  expect(second?.match(/^Trap \d+$/gm)).toEqual(name('Trap', 56, 60));
});

test.each([
  ['Latin letters', 'x', 20],
  ['Chinese characters', '糖', 0],
  ['characters that HTML writes longest', '"', 0],
])('120 requests with the longest fields, of %s, are whole in Gmail, each with its own link', (_what, character, leastInFull) => {
  const requests = Array.from({ length: 120 }, (_, index) => ({
    ...sampleSubmission,
    id: `0198b7f0-6a3c-7c1e-9d52-${String(index).padStart(12, '0')}`,
    name: `www.x.example ${character.repeat(contactLimits.name.max - 14)}`,
    email: `ada@${'x'.repeat(contactLimits.email.max - 12)}.example`,
    company: `evil.example ${character.repeat(contactLimits.company.max - 13)}`,
    message: `https://a.example www.b.example c.example ${character.repeat(contactLimits.message.max - 42)}`,
    quarantineReason: 'honeypot,too-fast,links,network-rate,total-rate',
  }));
  const getDecisionUrl = (id: string) =>
    settings.publicUrl + pathTo.heldRequest(signLinkToken('held', id, [SECRET]));
  const { html, text } = renderMail(
    writeHeldMail(
      { requests, moreCount: 5 },
      { ...settings, timeZone: 'America/Argentina/Buenos_Aires', getDecisionUrl },
    ),
  );

  expect(Buffer.byteLength(html)).toBeLessThan(102_000);
  expect(html.match(/Look at it and decide/g)?.length ?? 0).toBeGreaterThanOrEqual(leastInFull);
  for (const form of [html, text]) {
    expect(form).not.toMatch(/evil\.example|www\.[abx]\./);
    const tokens = [...form.matchAll(/\/follow-up\/held\/([\w.-]+)/g)].map(([, token]) => token ?? '');
    expect(tokens.map((token) => readLinkToken('held', token, [SECRET]))).toEqual(requests.map(({ id }) => id));
  }
});

test('without a mail server the mail becomes a file like every other', async () => {
  const { services, hold } = await setUp();
  const folder = await makeFolder();
  await hold('Sweets');

  await makeHeldMail({ ...services, mailer: createFileMailer(folder, 'site@example.com') }, settings)(signal);

  expect(await readdir(folder)).toEqual([expect.stringMatching(/^held-[0-9a-f-]{36}\.eml$/)]);
});

test('what is held is erased after thirty days unless it was released, also what was marked as spam', async () => {
  const { database, services, hold } = await setUp();
  const ago = (days: number) => database.raw("now() - ? * interval '1 day'", [days]);
  const old = await hold('Old Sweets', { quarantined_at: ago(30.01) });
  const spam = await hold('Spam Sweets', { quarantined_at: ago(31), spam_at: ago(31) });
  const young = await hold('Young Sweets', { quarantined_at: ago(29.9) });
  const released = await hold('Released Sweets', { received_at: ago(40), quarantined_at: null, released_at: ago(1) });

  const outcome = await runRetention(services.database, {
    linkSecrets: [SECRET],
    privacy: { retentionMonths: 24, erasuresDirectory: await makeFolder() },
  });

  expect(outcome?.expired).toEqual({ held: 2, submissions: 0, subscriptions: 0 });
  const rows = await database('contact_submissions').whereNotNull('anonymised_at');
  expect(rows.map(({ id }) => id).sort()).toEqual([old, spam].sort());
  expect(rows[0]).toMatchObject({ name: 'erased', message: null, quarantine_reason: null });
  const names = await database('contact_submissions').whereIn('id', [young, released]).pluck('company');
  expect(names.sort()).toEqual(['Released Sweets', 'Young Sweets']);
});

test('the operator’s tool lists, shows, counts and erases the same held requests, and names the mail', async () => {
  const { ops, database, settings: { MAIL_DIR } } = await setUpOps();
  const held = (days: number, changes = {}) =>
    storeSubmission(database, {
      quarantined_at: new Date(Date.now() - days * 24 * 3_600_000),
      quarantine_reason: 'links',
      ...changes,
    });
  const mailId = randomUUID();
  const id = await held(3, { held_mail_id: mailId });
  const spam = await held(31, { spam_at: new Date() });

  const { output: list } = await ops('submissions', 'list', '--quarantined', '--json');
  const states = (JSON.parse(list) as Array<{ id: string; state: string }>).map((row) => [row.id, row.state]);
  expect(states.sort()).toEqual([[id, 'quarantined'], [spam, 'spam']].sort());
  expect((await ops('submissions', 'show', spam)).output).toMatch(/^State: +spam$/m);
  const oldest = (await database('contact_submissions').where({ id: spam }).first())?.quarantined_at;
  expect((await ops('doctor')).output).toContain(
    `2 held as suspected spam, the oldest since ${oldest?.toISOString()}, 1 of them marked as spam`,
  );
  expect((await ops('retention')).output).toContain('Held as possible spam for more than 30 days: 1 requests to erase');
  expect((await ops('retention', '--yes')).output).toContain('Anonymized 0 requests, erased 1 held ones');
  expect((await ops('submissions', 'erase', id, '--yes')).output).toContain(
    `files in ${MAIL_DIR}: held-${mailId}.eml, which may name them`,
  );
});
