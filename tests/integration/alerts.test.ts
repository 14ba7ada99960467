import { json } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startAlerts } from '../../shared/node/alerts/start-alerts.ts';
import { productionTimings, type Timings } from '../../shared/node/config/timings.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { Minute, Second } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { startLocalServer } from '../support/local-server.ts';
import { runOps } from '../support/run-ops.ts';
import { startSmtpSink, type SinkOptions } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';

const timings = {
  ...productionTimings,
  alerts: { ...productionTimings.alerts, sendEvery: 0.2 * Second },
  backOff: { ...productionTimings.backOff, 'follow-up': { first: 0.2 * Second, cap: 0.2 * Second } },
};

/** A silent logger still raises alerts. */
const logger = createLogger({ level: 'silent', process: 'test' });

const refuseLogin: SinkOptions = {
  authOptional: false,
  onAuth: (_auth, _session, callback) =>
    callback(Object.assign(new Error('no'), { responseCode: 535 })),
};

/** Starts a server that accepts JSON and responds with the current `status`. */
async function startReceiver() {
  const bodies: Array<Record<string, unknown>> = [];
  const receiver = { status: 200 };
  const origin = await startLocalServer((request, response) => {
    void json(request).then((body) => {
      if (receiver.status === 200) bodies.push(body as Record<string, unknown>);
      response.writeHead(receiver.status).end('invalid_token');
    });
  });

  return { url: `${origin}/secret-path`, bodies, receiver };
}

const makeSettings = (changes: Readonly<Record<string, string>>) => ({
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
  COOKIE_SECRET: 's'.repeat(32),
  ALERT_EMAIL: 'ops@example.com, owner@example.com',
  OUTBOUND_ALLOW: '127.0.0.1',
  ...changes,
});

/** Records and sends alerts as a worker does, until the test ends. */
function start(changes: Readonly<Record<string, string>>, changedTimings: Partial<Timings> = {}) {
  const config = loadConfig(makeSettings(changes));
  const database = openDatabase(config.databaseUrl, onTestFinished);
  const alerts = startAlerts(config, { database, logger, timings: { ...timings, ...changedTimings } });
  onTestFinished(alerts.stop);

  return { database, alerts };
}

const raise = (reason: string) =>
  logger.error({ deliveryId: 'some-id', reason, alert: 'delivery-dead' }, 'A delivery is dead.');

describe('an alert', () => {
  test('is mailed at most once an hour across all workers, and a send time in the future doesn’t delay mails', async () => {
    const sink = await startSmtpSink();
    const settings = { DATABASE_URL: await createMigratedDatabase(), SMTP_URL: sink.url };
    const { database } = start(settings);
    raise('smtp-550');
    raise('smtp-550');
    raise('smtp-551');
    const second = start(settings);
    await waitFor('the mail', () => sink.received.length === 1);

    const [first] = sink.received;
    expect(first?.mail.subject).toBe('[Praline] Alert: delivery-dead');
    expect(first?.mail.to?.map(({ address }) => address)).toEqual(['ops@example.com', 'owner@example.com']);
    const text = first?.mail.text?.replace(/\s+/g, ' ') ?? '';
    for (const part of ['A mail, an export or an announcement failed permanently.', 'ops deliveries retry', 'Since: ', 'Since the last mail: 3 times', 'deliveryId: some-id', 'reason: smtp-551']) {
      expect(text).toContain(part);
    }

    const row = () => database('alerts').where({ name: 'delivery-dead', channel: 'mail' }).first();
    await waitFor('the mail to be recorded', async () => (await row())?.count === 0);
    raise('smtp-552');
    await waitFor('the records of both workers', async () => (await row())?.count === 2);
    await second.alerts.stop();
    await database('alerts').update({ sent_at: database.raw("now() - interval '61 minutes'") });
    await waitFor('the next mail', () => sink.received.length === 2);

    expect(sink.received[1]?.mail.text).toContain('2 times');
    expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(2);

    await waitFor('the mail to be recorded', async () => (await row())?.count === 0);
    // Simulates a mail that was sent while the clock was ahead.
    const ahead = database.raw("now() + interval '3 days'");
    await database('alerts').update({ sent_at: ahead, lease_until: ahead });
    raise('smtp-553');
    await waitFor('the third mail', () => sink.received.length === 3);
  });

  test('is posted as soon as ALERT_URL accepts it, even if the mail server refuses the login, and raises no further alert', async () => {
    const sink = await startSmtpSink(refuseLogin);
    const { url, bodies, receiver } = await startReceiver();
    receiver.status = 403;
    const { database } = start({
      DATABASE_URL: await createMigratedDatabase(),
      SMTP_URL: sink.url.replace('://', '://site:secret@'),
      ALERT_URL: url,
    });
    raise('smtp-535');

    await waitFor('several attempts to mail and post', async () => {
      const rows = await database('alerts').where('attempts', '>', 2);

      return rows.length === 2;
    });
    expect(bodies).toEqual([]);
    receiver.status = 200;
    await waitFor('the post', () => bodies.length === 1);

    expect(bodies).toEqual([
      {
        site: 'Praline',
        alert: 'delivery-dead',
        title: 'A mail, an export or an announcement failed permanently.',
        action: expect.stringContaining('ops deliveries retry') as string,
        message: 'A delivery is dead.',
        details: { deliveryId: 'some-id', reason: 'smtp-535', process: 'test' },
        count: 1,
        first_raised_at: expect.any(String) as string,
        last_raised_at: expect.any(String) as string,
      },
    ]);
    expect(await database('alerts').distinct('name')).toEqual([{ name: 'delivery-dead' }]);
  });

  test('is mailed again with the same count, but only to recipients who were temporarily refused', async () => {
    const sink = await startSmtpSink();
    const deferred = 'owner@example.com';
    sink.refusedRecipients.set(deferred, 451);
    const { database } = start({ DATABASE_URL: await createMigratedDatabase(), SMTP_URL: sink.url });
    const row = () => database('alerts').where({ name: 'delivery-dead', channel: 'mail' }).first();
    raise('smtp-550');
    raise('smtp-551');
    await waitFor('the mail and a retry', () => sink.received.length === 1 && sink.countOffers() >= 2);
    await database('alerts').update({ sent_at: database.raw("now() - interval '30 minutes'") });
    const sentAt = (await row())?.sent_at;

    sink.refusedRecipients.clear();
    await waitFor('the retry', async () => (await row())?.recipients === null);
    // The one-hour wait for the next mail starts when the first recipient is mailed.
    expect((await row())?.sent_at).toEqual(sentAt);
    const offers = sink.countOffers();
    raise('smtp-552');
    await waitFor('the record of the next alert', async () => (await row())?.count === 1);

    const recipients = sink.received.map(({ mail }) => mail.to?.map(({ address }) => address));
    expect(recipients).toEqual([['ops@example.com', deferred], [deferred]]);
    expect(sink.received[1]?.mail.text?.replace(/\s+/g, ' ')).toContain('Since the last mail: 2 times');
    expect(sink.countOffers()).toBe(offers);
  });

  test.each([
    ['recorded', createMigratedDatabase],
    ['only in memory', () => Promise.resolve('postgres://nobody@127.0.0.1:1/nothing')],
  ])('that is %s is posted while the mail server hangs', async (_where, getDatabaseUrl) => {
    const sink = await startSmtpSink();
    sink.faults.push({ kind: 'hang-before' });
    const { url, bodies } = await startReceiver();
    const settings = { DATABASE_URL: await getDatabaseUrl(), SMTP_URL: sink.url, ALERT_URL: url };
    // The timeouts are long, so the attempt to send the mail outlasts the test.
    const endless = { attempt: 10 * Minute, smtp: { ...timings.smtp, socket: 10 * Minute } };
    start(settings, endless);
    raise('smtp-550');
    logger.error({ alert: 'database-unreachable' }, 'PostgreSQL can’t be reached.');
    await waitFor('the hanging mail', () => sink.countOffers() === 1);
    await waitFor('the posts about both alerts', () => bodies.length === 2);

    logger.error({ alert: 'delivery-overdue' }, 'A delivery is overdue.');
    await waitFor('the post about the third alert', () => bodies.some(({ alert }) => alert === 'delivery-overdue'));

    expect(bodies).toHaveLength(3);
    expect([sink.countOffers(), sink.received]).toEqual([1, []]);
  });

  test('is sent once, by the process that raised it, while PostgreSQL is down', async () => {
    const sink = await startSmtpSink();
    const { url, bodies } = await startReceiver();
    start({ SMTP_URL: sink.url, ALERT_URL: url });
    raise('first');
    await waitFor('mail and post', () => sink.received.length === 1 && bodies.length === 1);
    raise('second');
    // The mail about another alert shows that another round has passed.
    logger.error({ alert: 'database-unreachable' }, 'PostgreSQL can’t be reached.');
    await waitFor('mail and post about the other alert', () => sink.received.length === 2 && bodies.length === 2);

    expect(bodies.map(({ alert }) => alert)).toEqual(['delivery-dead', 'database-unreachable']);
  });
});

describe('ops alerts test', () => {
  test('sends a test message by mail, post and chat, and reports success without the secret URLs', async () => {
    const sink = await startSmtpSink();
    const { url, bodies } = await startReceiver();
    const chat = await startReceiver();

    const { exitCode, output } = await runOps(
      makeSettings({ SMTP_URL: sink.url, ALERT_URL: url, ALERT_FORMAT: 'slack', CHAT_URL: chat.url }),
      'alerts',
      'test',
    );

    expect([exitCode, output]).toEqual([
      0,
      'ok    mail  The mail server accepted it for ops@example.com, owner@example.com.\n' +
        'ok    post  slack at 127.0.0.1 responded with 200.\n' +
        'ok    chat  json at 127.0.0.1 responded with 200.\n',
    ]);
    expect(sink.received[0]?.mail.subject).toBe('[Praline] Alert: test');
    expect(bodies).toMatchObject([{ text: expect.stringContaining('[Praline] Alert: test') as string }]);
    expect(chat.bodies).toEqual([{ site: 'Praline', event: 'test' }]);
  });

  test('reports each channel’s error', async () => {
    const sink = await startSmtpSink(refuseLogin);
    const { url, receiver } = await startReceiver();
    receiver.status = 403;
    const refused = makeSettings({ SMTP_URL: sink.url.replace('://', '://site:secret@'), ALERT_URL: url });
    const both = await runOps(refused, 'alerts', 'test');
    expect([both.exitCode, both.output]).toEqual([1, expect.stringMatching(/^fail {2}mail {2}To .*: Mail server .*: it refuses the login: check the user and password in SMTP_URL [^]*535[^]*\nfail {2}post {2}json at 127\.0\.0\.1 responded with 403: invalid_token\n$/)]);

    const { OUTBOUND_ALLOW: _none, ...without } = refused;
    const forbidden = await runOps(without, 'alerts', 'test');
    expect(forbidden.output).toContain('add it to OUTBOUND_ALLOW');

    for (const { output, errorOutput } of [both, forbidden]) {
      expect(output + errorOutput).not.toContain('secret');
    }
    expect(await runOps(refused, 'alerts', 'tset')).toMatchObject({ exitCode: 2 });
  });
});
