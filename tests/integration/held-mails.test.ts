import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { writeHeldMail } from '../../jobs/held-requests/held-mail.ts';
import { makeHeldMail } from '../../jobs/held-requests/send-held-mail.ts';
import { subscribeToAlerts } from '../../shared/node/alerts/raised-alerts.ts';
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
import { buildTestApp } from '../support/build-test-app.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
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
  const databaseUrl = await createMigratedDatabase();
  const database = openDatabase(databaseUrl, onTestFinished);
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

  return { databaseUrl, database, sink, services, round, hold, letPass, listSubjects };
}

/** The connection to PostgreSQL is lost after the hand-over: what is left is what a dead worker leaves. */
function makeFailing(services: Awaited<ReturnType<typeof setUp>>['services']) {
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
  expect(text).toContain('Open its page and decide whether a person is asking for something.');
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

/** What spam filters refuse on purpose, so that they can be tested: https://spamassassin.apache.org/gtube/ */
const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

/** The requests that a mail links to, in their order. */
const listLinked = (text = '') =>
  [...text.matchAll(/\/follow-up\/held\/([\w.-]+)/g)].map(([, token = '']) => readLinkToken('held', token, [SECRET]));

test('a mail that is refused for a stranger’s words goes next without any, and holds up no later one', async () => {
  const { sink, round, hold, letPass, listSubjects } = await setUp();
  sink.refusedWords.set('GTUBE', 554);
  const received_at = new Date('2026-11-03T09:00:00Z');
  const typed = { name: 'Mallory', email: 'typed@evil.example', message: GTUBE, received_at };
  const ids = [await hold('Evil Sweets', typed), await hold('Acme', { ...typed, message: null, quarantine_reason: 'links' })];

  await round();
  expect(sink.received).toEqual([]);
  await letPass('30 seconds');
  await round();
  await hold('Later Sweets');
  await letPass('1 hour');
  await round();

  expect(listSubjects()).toEqual(['[Praline] 2 requests are held as possible spam', one]);
  const [refused, later] = sink.received.map(({ mail }) => (mail.text ?? '').replace(/\s+/g, ' '));
  expect(refused).toContain('Tue, Nov 3, 2026, 9:00 AM UTC: sent within two seconds Decide:');
  expect(refused).toContain('The mail server refused the mail that repeats what was typed, so only the pages show it.');
  for (const form of [refused, sink.received[0]?.mail.html]) {
    expect(form).not.toMatch(/Evil|Acme|Mallory|typed@|GTUBE/);
  }
  expect(listLinked(sink.received[0]?.mail.text)).toEqual(ids);
  expect(later).toContain('Later Sweets');
  expect(sink.countOffers()).toBe(3);
});

test('a mail that is refused three times for the moment goes next without a stranger’s words', async () => {
  const { sink, round, hold, letPass, listSubjects } = await setUp();
  sink.refusedWords.set('GTUBE', 451);
  await hold('Evil Sweets', { message: GTUBE });

  for (let attempt = 1; attempt <= 4; attempt += 1) {
    expect(sink.received).toEqual([]);
    await round();
    await letPass('5 minutes');
  }

  expect(listSubjects()).toEqual([one]);
  expect(sink.received[0]?.mail.text).not.toContain('GTUBE');
});

describe('a mailbox that refuses a mail for the moment, while another takes it', () => {
  const DEFERRED = 'owner@example.com';

  async function deferOne() {
    const fixture = await setUp();
    const { sink, round, hold } = fixture;
    sink.refusedRecipients.set(DEFERRED, 450);
    await hold('Sweets');
    await round();
    expect(sink.received).toHaveLength(1);
    const alerts: string[] = [];
    onTestFinished(subscribeToAlerts(({ name }) => alerts.push(name)));
    /** Who each mail is for, and what it lists. */
    const listMails = () =>
      sink.received.map(({ mail }) => [
        mail.to?.map(({ address }) => address),
        mail.text?.match(/^(?:\w+ )?Sweets$/gm),
      ]);

    return { ...fixture, alerts, listMails };
  }

  test('gets it alone, under the same Message-ID, once it takes mails again; who has it hears nothing more', async () => {
    const { sink, round, letPass, listMails } = await deferOne();

    await round();
    await letPass('31 seconds');
    await round();
    sink.refusedRecipients.clear();
    await round();
    expect(sink.countOffers()).toBe(2);
    await letPass('1 minute');
    await round();
    await letPass('5 minutes');
    await round();

    expect(listMails()).toEqual([
      [settings.sales, ['Sweets']],
      [[DEFERRED], ['Sweets']],
    ]);
    expect(sink.received[1]?.mail.messageId).toBe(sink.received[0]?.mail.messageId);
  });

  test('delays no later mail, nor brings one sooner', async () => {
    const { sink, round, hold, letPass, listMails } = await deferOne();
    await hold('Other Sweets');

    await letPass('59 minutes');
    await round();
    expect(sink.received).toHaveLength(1);
    await letPass('1 minute');
    await round();
    sink.refusedRecipients.clear();
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await letPass('5 minutes');
      await round();
    }

    expect(listMails()).toEqual([
      [settings.sales, ['Sweets']],
      [settings.sales, ['Other Sweets']],
      [[DEFERRED], ['Sweets']],
      [[DEFERRED], ['Other Sweets']],
    ]);
  });

  test('waits for no other that refuses many mails', async () => {
    const { services, sink, hold, letPass } = await setUp();
    const [full, busy] = ['owner@example.com', 'busy@example.com'];
    const round = makeHeldMail(services, { ...settings, sales: ['sales@example.com', full, busy] });
    sink.refusedRecipients.set(full, 452);
    for (let hour = 1; hour <= 10; hour += 1) {
      if (hour === 10) sink.refusedRecipients.set(busy, 450);
      await hold('Sweets');
      await round(signal);
      await letPass('1 hour');
    }
    sink.refusedRecipients.delete(busy);
    // More than are tried while the first one of them waits for its next attempt.
    for (let rounds = 0; rounds < 20; rounds += 1) {
      await round(signal);
      await letPass('30 seconds');
    }

    expect(sink.received).toHaveLength(11);
    expect(sink.received[10]?.mail.to?.map(({ address }) => address)).toEqual([full, busy]);
  });

  test('gets nothing that was decided since', async () => {
    const { database, sink, round, hold, letPass, listSubjects } = await deferOne();
    await database('contact_submissions').update({ spam_at: database.fn.now() });
    sink.refusedRecipients.clear();
    await letPass('5 minutes');
    await round();
    await hold('Other Sweets');
    await round();

    expect(listSubjects()).toEqual([one]);
  });

  test('gets none any more when it is no mailbox of sales', async () => {
    const { services, sink, letPass, listSubjects } = await deferOne();
    sink.refusedRecipients.clear();
    const changed = makeHeldMail(services, { ...settings, sales: ['Sales <sales@example.com>', 'new@example.com'] });
    await letPass('5 minutes');
    await changed(signal);
    await letPass('5 minutes');
    await changed(signal);

    expect(listSubjects()).toEqual([one]);
  });

  test.each([
    ['for the moment', 450, 'recipient-deferred', 2],
    ['permanently', 550, 'recipient-refused', 1],
  ] as const)('is an alert when it refuses the next attempt %s, and is not tried without an end', async (_how, code, alert, attempts) => {
    const { sink, round, letPass, alerts } = await deferOne();
    sink.refusedRecipients.set(DEFERRED, code);
    for (let rounds = 0; rounds < 2; rounds += 1) {
      await letPass('5 minutes');
      await round();
    }
    expect(alerts).toEqual(Array.from({ length: attempts }, () => alert));
    expect(sink.countOffers()).toBe(1 + attempts);

    await letPass('72 hours');
    sink.refusedRecipients.clear();
    await round();
    expect(sink.received).toHaveLength(1);
  });

  test.each([1, 5])('gets it twice at most, whatever dies %i times between handing over and recording it', async (deaths) => {
    const { services, sink, round, letPass } = await deferOne();
    sink.refusedRecipients.clear();
    for (let death = 0; death < deaths; death += 1) {
      await letPass('5 minutes');
      await makeHeldMail(makeFailing(services), settings)(signal).catch(() => undefined);
    }
    await letPass('5 minutes');
    await round();

    expect(sink.received).toHaveLength(3);
    expect(sink.received.slice(1).map(({ mail }) => mail.to?.length)).toEqual([1, 1]);
  });

  test('is counted in the log, not named', async () => {
    const warn = vi.spyOn(logger, 'warn');
    onTestFinished(() => warn.mockRestore());
    await deferOne();

    expect(warn.mock.calls).toMatchObject([[{ deferred: 1 }, expect.stringContaining('them alone')]]);
    expect(JSON.stringify(warn.mock.calls)).not.toContain('example.com');
  });
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
  for (let death = 0; death < deaths; death += 1) {
    await makeHeldMail(makeFailing(services), settings)(signal).catch(() => undefined);
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

test('a network that sends as many as it may hides no other request: the first of each comes first', async () => {
  const { databaseUrl, sink, round, listSubjects } = await setUp();
  // Sixty a client, so 180 a network: none of them is more than suspected.
  const app = await buildTestApp({ DATABASE_URL: databaseUrl, RATE_LIMIT_CONTACT: '60/1h' });
  onTestFinished(app.close);
  const message = 'https://a.example https://b.example https://c.example';
  const post = async (company: string, client: string) =>
    (await postContact(app, makeContactBody({ company, message }), client)).status;

  for (let count = 0; count < 180; count += 30) {
    const some = Array.from({ length: 30 }, (_, index) => post('Crowd', `2001:db8:1:${index % 3}::1`));
    expect(new Set(await Promise.all(some))).toEqual(new Set([201]));
  }
  expect(await post('Genuine Sweets', '2001:db8:2::1')).toBe(201);
  await round();

  expect(listSubjects()).toEqual(['[Praline] 181 requests are held as possible spam']);
  expect(sink.received[0]?.mail.text).toContain('\nGenuine Sweets\n');
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
  const write = (wasRefused: boolean) =>
    renderMail(
      writeHeldMail(
        { requests, moreCount: 5, wasRefused },
        { ...settings, timeZone: 'America/Argentina/Buenos_Aires', getDecisionUrl },
      ),
    );
  const [mail, withoutWords] = [write(false), write(true)];

  expect(mail.html.match(/Look at it and decide/g)?.length ?? 0).toBeGreaterThanOrEqual(leastInFull);
  for (const { html, text } of [mail, withoutWords]) {
    expect(Buffer.byteLength(html)).toBeLessThan(102_000);
    for (const form of [html, text]) {
      expect(form).not.toMatch(/evil\.example|www\.[abx]\./);
      expect(listLinked(form)).toEqual(requests.map(({ id }) => id));
    }
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
    mail: { sales: [] },
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
