import { expect, onTestFinished } from 'vitest';
import { makeStrangersBody } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, longTimeoutWorker, type FaultFixture } from './fault-fixture.ts';
import { MAX_ANSWER_MS, measure } from './measure.ts';
import { untilReady } from './web-health.ts';

/** Sets up a web process that connects to PostgreSQL through a proxy. The fixture itself connects directly. */
async function setUpProxied() {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const proxy = await startFaultProxy(fixture.settings['DATABASE_URL'] ?? '');
  onTestFinished(() => proxy.close());
  const web = await startWeb({ ...fixture.settings, DATABASE_URL: proxy.url });

  return { fixture, proxy, web };
}

const listIds = async ({ database }: FaultFixture) =>
  (await database('contact_submissions').select('id')).map(({ id }) => id);

/** Sends the mails for all stored requests and reconciles them. */
async function expectOneMailEach(fixture: FaultFixture, count: number): Promise<void> {
  expect(await listIds(fixture)).toHaveLength(count);
  await startWorker(fixture.settings);
  await waitFor('all mails', async () => (await countStates(fixture.database))['sent'] === count);
  await fixture.expectMails({ recoveredAt: Date.now() });
}

faultRow(3, 'PostgreSQL takes 5 s per statement: web responds with 503 in time, serves pages, and recovers immediately', async (chance) => {
  const { fixture, proxy, web } = await setUpProxied();
  await fetch(`${web.origin}/contact`);
  // There are more requests than connections in the pool.
  const bodies = Array.from({ length: 25 }, () => makeStrangersBody());
  const healthy = chance.between(15, 25);
  const [, healthyMs] = await measure(() =>
    Promise.all(Array.from({ length: healthy }, () => fixture.submit(web.origin))),
  );
  // The limit includes the time that the request takes on this machine without the fault.
  const maxMs = MAX_ANSWER_MS + healthyMs;
  proxy.delay(chance.between(5_000, 8_000));

  const posting = bodies.map((body) => measure(() => fixture.submit(web.origin, body)));
  const [page, pageMs] = await measure(() => fetch(`${web.origin}/contact`));
  const responses = await Promise.all(posting);

  expect(page.status).toBe(200);
  expect(pageMs).toBeLessThan(1_000 + healthyMs);
  for (const [response, ms] of responses) {
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).not.toBeNull();
    expect(ms).toBeLessThan(maxMs);
  }

  proxy.pass();
  await untilReady(web.origin);
  for (const body of bodies) expect((await fixture.submit(web.origin, body)).ok).toBe(true);
  await expectOneMailEach(fixture, healthy + bodies.length);
});

faultRow(5, 'The response to a commit is lost: a retry returns the same id and stores no second row', async () => {
  const { fixture, proxy, web } = await setUpProxied();
  const body = makeStrangersBody();
  const wasCut = proxy.cutResponseTo('COMMIT');

  // The web process retries on its own and finds the row.
  const response = await fixture.submit(web.origin, body);
  expect(wasCut()).toBe(true);
  expect(await listIds(fixture)).toEqual([body.id]);
  expect(response.status).toBe(200);
  proxy.pass();
  const again = await fixture.submit(web.origin, body);

  expect(again.status).toBe(200);
  expect(await again.json()).toEqual({ id: body.id });
  await expectOneMailEach(fixture, 1);
});
