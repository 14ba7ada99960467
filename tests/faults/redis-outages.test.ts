import { expect } from 'vitest';
import { setTimeout as wait } from 'node:timers/promises';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, longTimeoutWorker } from './fault-fixture.ts';
import { untilRedisIs } from '../support/web-health.ts';

const OUTAGES_S = [3, 9, 15, 60];
const MAX_RESUME_MS = 5_000;

async function setUpIdle() {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  await untilRedisIs('up', web.origin);

  return { fixture, web, worker };
}

type IdleStack = Awaited<ReturnType<typeof setUpIdle>>;

/** Redis is down for so long; returns how soon the queue works after its return. */
async function outlive({ fixture, web, worker }: IdleStack, outageMs: number): Promise<number> {
  const { redis, sink, database } = fixture;
  await redis.kill();
  await wait(outageMs);
  await redis.start();
  const returnedAt = performance.now();

  // What is posted now has a job, which reaches the worker only by its own connection.
  await untilRedisIs('up', web.origin);
  await fixture.submit(web.origin);
  await waitFor('the mail', () => sink.received.length === 1);
  const resumedAfterMs = performance.now() - returnedAt;
  await waitFor('its record', async () => (await countStates(database))['sent'] === 1);

  expect(worker.hasExited()).toBe(false);
  await fixture.expectMails();

  return resumedAfterMs;
}

faultRow(17, `Redis down for ${OUTAGES_S.join(', ')} s from an idle worker: takes jobs again within 5 s`, async (chance) => {
  const outages = OUTAGES_S.map((seconds) => seconds * 1_000 + chance.between(0, 900));
  const stacks: IdleStack[] = [];
  for (const _ of outages) stacks.push(await setUpIdle());
  const resumed = await Promise.all(stacks.map((stack, index) => outlive(stack, outages[index] ?? 0)));
  process.stdout.write(`resumed after ${resumed.map(Math.round).join(', ')} ms\n`);

  for (const ms of resumed) expect(ms).toBeLessThan(MAX_RESUME_MS);
});
