import { describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../shared/node/database/database.ts';
import { listPauses } from '../../shared/node/deliveries/delivery-pauses.ts';
import { createCertificateAuthority } from '../support/certificates.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { countStates, setUpDeliveries, startWorker } from '../support/delivery-fixture.ts';
import { openWeb, openWorker } from '../support/open-site.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';

const quietSettings = {
  FOLLOW_UP_REMINDER_AFTER: '1h',
  FOLLOW_UP_AFTER: '2h',
  CRM_PROVIDER: 'none',
};

/** Waits until the worker has raised the alert, and expects it to contain the reason. */
async function expectRefusal(worker: { output: () => string }, reason: string) {
  const alert = await waitFor('the alert', () =>
    worker.output().split('\n').find((line) => line.includes('"alert":"mail-configuration"')),
  );
  expect(alert).toContain(`"reason":"${reason}"`);
}

/** Waits until the refused mail is pending again. The worker records this after it raises the alert. */
const untilRescheduled = (database: Database) =>
  waitFor('the mail to be pending again', async () => (await countStates(database))['pending'] === 4);

describe('the worker', () => {
  test('refuses an untrusted certificate, and accepts it once the settings name its private CA', async () => {
    const { settings, database } = await setUpDeliveries(quietSettings);
    const authority = await createCertificateAuthority();
    onTestFinished(() => authority.remove());
    const sink = await startSmtpSink({ secure: true, ...(await authority.issue('DNS:localhost')) });
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

  test('sends nothing if the server offers no STARTTLS', async () => {
    const { settings, database, sink } = await setUpDeliveries(quietSettings);
    // This address reaches this machine, but isn't a loopback address, so it needs TLS.
    const withoutTls = { ...settings, SMTP_URL: sink.url.replace('127.0.0.1', '0.0.0.0') };
    const web = await openWeb(withoutTls);
    const worker = await openWorker(withoutTls);

    await postContact(web.origin, makeContactBody());
    await expectRefusal(worker, 'smtp-ETLS');

    await untilRescheduled(database);
    expect(sink.countOffers()).toBe(0);
  });

  test('sends the mail soon after the server accepts the login', async () => {
    const { settings, database } = await setUpDeliveries(quietSettings);
    let isRefused = true;
    const sink = await startSmtpSink({
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
});
