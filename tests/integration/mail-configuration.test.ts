import { describe, expect, onTestFinished, test } from 'vitest';
import { createMailer } from '../../shared/node/mail/create-mailer.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { listPauses } from '../../shared/node/deliveries/delivery-pauses.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createCertificateAuthority } from '../support/certificates.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { countStates, setUpDeliveries, startWorker } from '../support/delivery-fixture.ts';
import { openWeb, openWorker } from '../support/open-site.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const quietSettings = {
  FOLLOW_UP_REMINDER_AFTER: '1h',
  FOLLOW_UP_AFTER: '2h',
  CRM_PROVIDER: 'none',
};

type SinkOptions = Parameters<typeof startSmtpSink>[0];

async function startSink(options?: SinkOptions) {
  const sink = await startSmtpSink(options);
  onTestFinished(() => sink.close());

  return sink;
}

/** Waits until the worker has logged why it can't send, and expects the mail to be pending. */
async function expectRefusal(worker: { output: () => string }, reason: string) {
  const alert = await waitFor('the alert', () =>
    worker.output().split('\n').find((line) => line.includes('"alert":"mail-configuration"')),
  );
  expect(alert).toContain(`"reason":"${reason}"`);
}

/** Waits for the record, which follows the alert. */
const untilRescheduled = (database: Database) =>
  waitFor('the mail to wait again', async () => (await countStates(database))['pending'] === 4);

describe('the worker', () => {
  test('refuses an untrusted certificate, and accepts it from a private CA', async () => {
    const { settings, database } = await setUpDeliveries(quietSettings);
    const authority = await createCertificateAuthority();
    onTestFinished(() => authority.remove());
    const sink = await startSink({ secure: true, ...(await authority.issue('DNS:localhost')) });
    const secured = { ...settings, SMTP_URL: sink.url };
    const web = await openWeb(secured);
    const worker = await openWorker(secured);

    await postContact(web.origin, makeContactBody());
    await expectRefusal(worker, 'smtp-UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    await untilRescheduled(database);
    await worker.stop();
    expect(sink.countOffers()).toBe(0);

    await startWorker({ ...secured, NODE_EXTRA_CA_CERTS: authority.file });
    await waitFor('the mail', async () => (await countStates(database))['sent'] === 1);
    expect(sink.received).toHaveLength(1);
  });

  test('sends nothing if STARTTLS was stripped', async () => {
    const { settings, database, sink } = await setUpDeliveries(quietSettings);
    // The address means this machine, but isn't a loopback address.
    const stripped = { ...settings, SMTP_URL: sink.url.replace('127.0.0.1', '0.0.0.0') };
    const web = await openWeb(stripped);
    const worker = await openWorker(stripped);

    await postContact(web.origin, makeContactBody());
    await expectRefusal(worker, 'smtp-ETLS');

    await untilRescheduled(database);
    expect(sink.countOffers()).toBe(0);
  });

  test('sends the mails soon after a refused login is fixed', async () => {
    const { settings, database } = await setUpDeliveries(quietSettings);
    let isRefused = true;
    const sink = await startSink({
      authOptional: false,
      onAuth: (_auth, _session, callback) =>
        isRefused
          ? callback(Object.assign(new Error('no'), { responseCode: 535 }))
          : callback(null, { user: 'site' }),
    });
    const withLogin = { ...settings, SMTP_URL: sink.url.replace('://', '://site:secret@') };
    const web = await openWeb(withLogin);
    const worker = await openWorker(withLogin);

    await postContact(web.origin, makeContactBody());
    await expectRefusal(worker, 'smtp-535');
    isRefused = false;
    await waitFor('the mail', async () => (await countStates(database))['sent'] === 1, 5_000);

    expect(worker.output()).not.toContain('secret');
    expect(await listPauses(database)).toEqual([]);
  });

  test('logs at its start that mails become files if there is no SMTP server', async () => {
    const folder = makeTemporaryFolder();
    const { settings } = await setUpDeliveries({ ...quietSettings, MAIL_DIR: folder });
    const worker = await openWorker({
      ...settings,
      SMTP_URL: '',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      COOKIE_SECRET: 's'.repeat(32),
    });

    expect(worker.output()).toMatch(/"level":40.*SMTP_URL is not set/);
  });
});

describe('verifying the mailer', () => {
  const make = (environment: Record<string, string>) => {
    const config = loadConfig({ DATABASE_URL: 'postgres://localhost/x', ...environment });
    const smtp = { connect: 1_000, greeting: 1_000, socket: 1_000 };
    const mailer = createMailer(
      config,
      { ...productionTimings.smtp, ...smtp },
      createLogger({ level: 'silent', process: 'test' }),
    );
    onTestFinished(mailer.close);

    return mailer;
  };

  test('names a closed port, a refused login and a server without encryption', async () => {
    const sink = await startSink({
      authOptional: false,
      onAuth: (_auth, _session, callback) =>
        callback(Object.assign(new Error('no'), { responseCode: 535 })),
    });
    const closed = await startSmtpSink();
    await closed.close();

    for (const [url, reason] of [
      [closed.url, 'smtp-ECONNREFUSED'],
      [sink.url.replace('://', '://site:secret@'), 'smtp-535'],
      [sink.url.replace('127.0.0.1', '0.0.0.0'), 'smtp-ETLS'],
    ] as const) {
      await expect(make({ SMTP_URL: url }).verify()).rejects.toMatchObject({ reason });
    }
  });
});
