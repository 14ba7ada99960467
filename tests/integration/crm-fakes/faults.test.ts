import { expect, onTestFinished, test } from 'vitest';
import { makeRateCounter } from '../../support/crm/crm-rules.ts';
import { respondJson, startFakeCrm, type CrmFault } from '../../support/crm/fake-crm.ts';
import { waitFor } from '../../support/wait-for.ts';

async function setUp(...faults: CrmFault[]) {
  const done: string[] = [];
  const crm = await startFakeCrm(({ body }) => {
    done.push(body);

    return respondJson(201, { id: done.length });
  });
  onTestFinished(() => crm.close());
  crm.faults.push(...faults);
  const post = (path = '/things') =>
    fetch(crm.url + path, { method: 'POST', body: 'thing', redirect: 'manual' });

  return { crm, done, post };
}

test('A request is logged with its method, target, headers and body', async () => {
  const { crm, post } = await setUp();
  await post('/things?a=1');

  expect(crm.requests).toMatchObject([
    { method: 'POST', path: '/things?a=1', body: 'thing', headers: { 'content-length': '5' } },
  ]);
});

test('A fault strikes the first request it is meant for, once', async () => {
  const { crm, done, post } = await setUp({ on: /^POST \/b/, kind: 'response', status: 503 });

  const statuses = [await post('/a'), await post('/b'), await post('/b')].map(({ status }) => status);

  expect(statuses).toEqual([201, 503, 201]);
  expect(done).toHaveLength(2);
  expect(crm.faults).toEqual([]);
});

test.each([
  ['hang-before', 0],
  ['hang-after', 1],
] as const)('A request that meets %s is never answered and done %i times; close cuts it', async (kind, times) => {
  const { crm, done, post } = await setUp({ kind });
  const response = post().then(
    () => 'answered',
    () => 'cut',
  );
  await waitFor('the request', () => crm.requests.length === 1);

  await crm.close();

  expect(await response).toBe('cut');
  expect(done).toHaveLength(times);
});

test('A request that meets cut-after is done and its connection destroyed', async () => {
  const { done, post } = await setUp({ kind: 'cut-after' });

  await expect(post()).rejects.toThrow('fetch failed');
  expect(done).toHaveLength(1);
});

test('A malformed response is a 200 that is not JSON, after it was done', async () => {
  const { done, post } = await setUp({ kind: 'malformed' });
  const response = await post();

  expect(response.status).toBe(200);
  await expect(response.json()).rejects.toThrow(SyntaxError);
  expect(done).toHaveLength(1);
});

test('A huge response is a 200 of more than 2 MiB', async () => {
  const { post } = await setUp({ kind: 'huge' });
  const response = await post();

  expect(response.status).toBe(200);
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(2 * 1024 * 1024);
});

test('A request that meets huge-after is done and answered as it should be, after 8 MiB', async () => {
  const { done, post } = await setUp({ kind: 'huge-after' });
  const response = await post();
  const body = await response.text();

  expect(response.status).toBe(201);
  expect(body.length).toBeGreaterThan(8 * 1024 * 1024);
  expect(JSON.parse(body)).toEqual({ id: 1 });
  expect(done).toHaveLength(1);
});

test('A dripping response comes byte by byte until the caller has had enough', async () => {
  const { post } = await setUp({ kind: 'drip' });
  const reader = (await post()).body?.getReader();

  const first = await reader?.read();
  const second = await reader?.read();
  await reader?.cancel();

  expect([first?.value?.byteLength, second?.value?.byteLength]).toEqual([1, 1]);
});

test('A redirect names its aim and does nothing', async () => {
  const { done, post } = await setUp({ kind: 'redirect', to: 'http://127.0.0.1:1/' });
  const response = await post();

  expect([response.status, response.headers.get('location')]).toEqual([307, 'http://127.0.0.1:1/']);
  expect(done).toEqual([]);
});

test('A window that is full opens again when its first call is old enough', async () => {
  const count = makeRateCounter({ calls: 1, windowMs: 50 });

  expect(count()).toEqual({ allowed: true, remaining: 0, waitMs: 50 });
  expect(count().allowed).toBe(false);
  await waitFor('the window to open', () => count().allowed, 2000);
});
