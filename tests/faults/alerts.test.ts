import { expect } from 'vitest';
import { startWeb, startWorker } from '../support/delivery-fixture.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { startSmtpSink, type ReceivedMail } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';
import { oneMail, setUpFault } from './fault-fixture.ts';
import { faultRow } from './fault-row.ts';

const WORKER_TIMINGS = JSON.stringify({ alerts: { sendEvery: 300, databaseAwayAfter: 1_000 } });

const listAlerts = (received: readonly ReceivedMail[]) =>
  received.flatMap(({ mail }) => /Alert: (\S+)$/.exec(mail.subject ?? '')?.[1] ?? []);

faultRow(88, 'PostgreSQL down under a worker: an alert is sent in time, once, and the lead is not lost', async (chance) => {
  const postgres = await startOwnPostgres();
  const fixture = await setUpFault({ ...oneMail, DATABASE_URL: postgres.url, WORKER_TIMINGS });
  const { database, sink, settings } = fixture;
  const web = await startWeb(settings);
  await startWorker(settings);
  await fixture.submit(web.origin);
  await waitFor('the mail', () => sink.received.length === 1);
  await chance.letTimePass(500);

  await postgres.kill();
  await waitFor('the alert', () => listAlerts(sink.received).includes('database-unreachable'));
  expect((await fixture.submit(web.origin)).status).toBe(503);
  await postgres.start();

  const find = () => database('alerts').where({ name: 'database-unreachable', channel: 'mail' }).first();
  await waitFor('the alert to be recorded as sent', async () => (await find().catch(() => undefined))?.sent_at);
  await waitFor('a request to be taken', async () => (await fixture.submit(web.origin)).ok);
  await waitFor('its mail', () => sink.received.filter(({ header }) => header('X-Delivery-Stage')).length === 2);
  const names = listAlerts(sink.received);
  expect(names).toEqual([...new Set(names)]);
});

faultRow(89, 'SMTP refuses the login and the worker is killed: the alert is sent as soon as the login works', async (chance) => {
  let isRefused = true;
  const sink = await startSmtpSink({
    authOptional: false,
    onAuth: (_auth, _session, callback) =>
      isRefused
        ? callback(Object.assign(new Error('no'), { responseCode: 535 }))
        : callback(null, { user: 'site' }),
  });
  const fixture = await setUpFault({
    ...oneMail,
    SMTP_URL: sink.url.replace('://', '://site:secret@'),
    WORKER_TIMINGS,
  });
  const { database, settings } = fixture;
  const web = await startWeb(settings);
  const worker = await startWorker(settings);
  await fixture.submit(web.origin);
  const find = () => database('alerts').where({ name: 'mail-configuration', channel: 'mail' }).first();
  await waitFor('the alert to be recorded', find);
  await chance.letTimePass(500);
  await worker.stop('SIGKILL');

  await Promise.all([startWorker(settings), startWorker(settings)]);
  isRefused = false;
  await waitFor('lead and alert', () => sink.received.length >= 2);
  await waitFor('both to be recorded', async () => {
    const alert = await find();
    const mail = await database('deliveries').where({ stage: 'new' }).first();

    return alert?.sent_at && mail?.state === 'sent';
  });

  // On a busy machine the mail to sales is also overdue by then.
  const names = listAlerts(sink.received);
  expect(names).toContain('mail-configuration');
  expect(names).toEqual([...new Set(names)]);
  await sink.close();
});
