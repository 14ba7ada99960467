import { expect, onTestFinished } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from '../support/crm/webhook-receiver.ts';
import { startWeb, startWorker } from '../support/delivery-fixture.ts';
import type { Environment } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { setUpFault, type FaultFixture } from './fault-fixture.ts';
import { expectNothingLost, type Receipt } from './reconcile.ts';

interface CrmFixture extends FaultFixture {
  readonly crm: WebhookReceiver;
  /** Posts a request to the web process that runs. */
  readonly post: () => Promise<Response>;
}

async function setUpCrm(changes: Environment = {}): Promise<CrmFixture> {
  const crm = await startWebhookReceiver();
  onTestFinished(() => crm.close());
  const fixture = await setUpFault({
    CRM_PROVIDER: 'webhook',
    CRM_WEBHOOK_URL: `${crm.url}/leads`,
    CRM_WEBHOOK_SECRET: crm.secret,
    OUTBOUND_ALLOW: '127.0.0.1',
    FOLLOW_UP_REMINDER_AFTER: '1h',
    FOLLOW_UP_AFTER: '2h',
    ...changes,
  });
  const web = await startWeb(fixture.settings);

  return { ...fixture, crm, post: () => fixture.submit(web.origin) };
}

const listExports = ({ database }: CrmFixture) =>
  database('deliveries').where({ kind: 'crm-export' }).orderBy('due_at');

const untilExported = (fixture: CrmFixture) =>
  waitFor('every export', async () => {
    const exports = await listExports(fixture);

    return exports.length > 0 && exports.every(({ state }) => state === 'sent');
  });

const untilMailed = ({ sink, accepted }: CrmFixture) =>
  waitFor('the mails', () => sink.received.length === accepted.length, 10_000);

/** The records at the CRM: each counts once, by its idempotency key. */
const listRecords = ({ received, requests }: WebhookReceiver): Receipt[] =>
  received.map(({ id }) => ({
    deliveryId: id.replace(/^lead_/, ''),
    at: requests.findLast(({ headers }) => headers['webhook-id'] === id)?.at ?? 0,
  }));

/** No mail and no record is lost, early, late or duplicated. */
async function expectAllOnce(fixture: CrmFixture): Promise<void> {
  const { database, accepted, crm } = fixture;
  await fixture.expectMails();
  await expectNothingLost({
    database,
    accepted,
    receipts: listRecords(crm),
    kinds: ['crm-export'],
  });
}

const listIds = ({ requests }: WebhookReceiver) => requests.map(({ headers }) => headers['webhook-id']);

faultRow(22, 'Worker kill -9 after the webhook was taken, before the mark: same webhook-id, one record', async (chance) => {
  const fixture = await setUpCrm();
  const first = await startWorker(fixture.settings);
  fixture.crm.faults.push({ kind: 'hang-after' });
  await fixture.post();
  await waitFor('the event to be taken', () => fixture.crm.received.length === 1);
  await untilMailed(fixture);
  await waitFor('the mail’s record', async () => {
    return (await fixture.database('deliveries').where({ stage: 'new' }).first())?.state === 'sent';
  });
  await chance.letTimePass(300);
  await first.stop('SIGKILL');

  await startWorker(fixture.settings);
  await untilExported(fixture);

  expect(listIds(fixture.crm)).toHaveLength(2);
  expect(new Set(listIds(fixture.crm)).size).toBe(1);
  await expectAllOnce(fixture);
});

faultRow(36, 'CRM 429 with Retry-After, also to its test: the whole kind is paused as long, mails go on', async (chance) => {
  const fixture = await setUpCrm();
  const { crm } = fixture;
  await startWorker(fixture.settings);
  const seconds = chance.between(2, 4);
  const limit = { kind: 'response', status: 429, headers: { 'retry-after': String(seconds) } } as const;
  // For the lead, and for the test whether others would get the same.
  crm.faults.push(limit, limit);
  await fixture.post();
  await waitFor('the refusals', () => crm.requests.length === 2);
  await waitFor('the pause', async () => (await fixture.database('delivery_pauses')).length === 1);

  await fixture.post();
  await untilMailed(fixture);
  expect(crm.requests).toHaveLength(2);
  await untilExported(fixture);

  const [, refusedAt = 0, nextAt = 0] = crm.requests.map(({ at }) => at);
  expect(nextAt - refusedAt).toBeGreaterThanOrEqual(seconds * 1_000);
  expect(crm.requests).toHaveLength(4);
  await expectAllOnce(fixture);
});

faultRow(37, 'CRM responds with 500, not at all or slowly: tried again; then with 8 MiB: cut, one record, mails go on', async (chance) => {
  const fixture = await setUpCrm();
  const { crm } = fixture;
  const worker = await startWorker(fixture.settings);
  const fault = { kind: 'response', status: 500 } as const;
  // The slow one comes after the ten seconds of a call.
  const silences = [{ kind: 'hang-before' }, { kind: 'slow', ms: 11_000 }] as const;
  crm.faults.push(...chance.pick([[fault, ...silences], [...silences, fault]] as const));
  crm.faults.push({ kind: 'huge-after' });

  await fixture.post();
  await untilMailed(fixture);
  await untilExported(fixture);

  const reasons = Array.from(worker.output().matchAll(/"reason":"([^"]+)"/g), ([, reason]) => reason);
  expect(reasons.toSorted()).toEqual(['http-timed-out', 'http-timed-out', 'webhook-500']);
  expect((await listExports(fixture))[0]).toMatchObject({ attempts: 4, lease_expiries: 0 });
  await expectAllOnce(fixture);
});

faultRow(38, 'CRM took it but timed out: tried again under the same id, no second record', async (chance) => {
  const fixture = await setUpCrm();
  const { crm } = fixture;
  await startWorker(fixture.settings);
  crm.faults.push(chance.pick([{ kind: 'hang-after' }, { kind: 'cut-after' }] as const));

  await fixture.post();
  await untilExported(fixture);

  expect(listIds(crm)).toHaveLength(2);
  expect(crm.received).toHaveLength(1);
  await untilMailed(fixture);
  await expectAllOnce(fixture);
});

faultRow(39, 'CRM 409 duplicate: counted as delivered', async () => {
  const fixture = await setUpCrm();
  const { crm } = fixture;
  const worker = await startWorker(fixture.settings);
  // It accepted the first try and recognizes the repeat; only the response was lost.
  crm.faults.push({ kind: 'cut-after' }, { kind: 'response', status: 409 });

  await fixture.post();
  await untilExported(fixture);

  expect(crm.requests).toHaveLength(2);
  // The tests' worker raises another one where the machine makes a delivery two seconds late.
  expect(worker.output()).not.toMatch(/"alert":"(?!delivery-overdue")/);
  await untilMailed(fixture);
  await expectAllOnce(fixture);
});

/** Waits until the kind is paused with an alert, while mails go on. */
async function expectPaused(fixture: CrmFixture, output: () => string, reason: string): Promise<void> {
  await waitFor('the alert', () => output().includes('"alert":"kind-paused"'));
  expect(await fixture.database('delivery_pauses')).toMatchObject([{ kind: 'crm-export', reason }]);
  await fixture.post();
  await untilMailed(fixture);
  const exports = await listExports(fixture);
  expect(exports).toHaveLength(fixture.accepted.length);
  for (const { state } of exports) expect(['pending', 'leased']).toContain(state);
}

/** A pause that only a worker's start with corrected settings ends. */
const longPause = { WORKER_TIMINGS: JSON.stringify({ pause: 600_000 }) };

faultRow(40, 'CRM 401 or 403: kind paused with an alert, mails go on, delivered once it is fixed', async (chance) => {
  const fixture = await setUpCrm(longPause);
  const { crm } = fixture;
  const worker = await startWorker(fixture.settings);
  const status = chance.pick([401, 403] as const);
  crm.respond(status);
  await fixture.post();

  await expectPaused(fixture, worker.output, `webhook-${status}`);
  // The lead, and the check that finds the site itself refused.
  expect(crm.requests).toHaveLength(2);

  crm.respond(204);
  await worker.stop();
  await startWorker(fixture.settings);
  await untilExported(fixture);
  expect((await listExports(fixture)).map(({ attempts }) => attempts)).toEqual([1, 1]);
  await expectAllOnce(fixture);
});

faultRow(40, 'CRM redirects: not followed, kind paused with an alert, mails go on', async () => {
  const fixture = await setUpCrm(longPause);
  const elsewhere = await startWebhookReceiver({ secret: fixture.crm.secret });
  onTestFinished(() => elsewhere.close());
  const worker = await startWorker(fixture.settings);
  const redirect = { kind: 'redirect', to: `${elsewhere.url}/leads` } as const;
  // The lead's, and that of the check.
  fixture.crm.faults.push(redirect, redirect);
  await fixture.post();

  await expectPaused(fixture, worker.output, 'http-redirect');
  await worker.stop();

  await startWorker(fixture.settings);
  await untilExported(fixture);
  expect(elsewhere.requests).toHaveLength(0);
  await expectAllOnce(fixture);
});

faultRow(40, 'CRM at a private address nobody allowed: not called, kind paused with an alert; allowed, delivered', async (chance) => {
  const host = chance.pick(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433'] as const);
  const fixture = await setUpCrm(longPause);
  const refused = { ...fixture.settings, OUTBOUND_ALLOW: '10.0.0.0/8' };
  const url = (fixture.settings['CRM_WEBHOOK_URL'] ?? '').replace('127.0.0.1', host);
  const worker = await startWorker({ ...refused, CRM_WEBHOOK_URL: url });
  await fixture.post();

  await expectPaused(fixture, worker.output, 'http-ADDRESS_REFUSED');
  expect(fixture.crm.requests).toHaveLength(0);
  await worker.stop();

  await startWorker(fixture.settings);
  await untilExported(fixture);
  await expectAllOnce(fixture);
});
