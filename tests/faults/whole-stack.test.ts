import { expect, onTestFinished } from 'vitest';
import { createDatabase } from '../../shared/node/database/database.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { setUpFault } from './fault-fixture.ts';

const REQUESTS = 6;
const INTERVAL_MS = 300;

faultRow(43, 'Everything is stopped when mails become due: after a restart, each is sent once, within the rate limit', async (chance) => {
  const postgres = await startOwnPostgres();
  const { sink, redis, ...fixture } = await setUpFault({
    DATABASE_URL: postgres.url,
    CRM_PROVIDER: 'none',
    FOLLOW_UP_REMINDER_AFTER: '10s',
    FOLLOW_UP_AFTER: '11s',
    WORKER_TIMINGS: JSON.stringify({ minInterval: INTERVAL_MS }),
  });
  const { settings } = fixture;
  const web = await startWeb(settings);
  const worker = await startWorker(settings);
  await Promise.all(Array.from({ length: REQUESTS }, () => fixture.submit(web.origin)));
  const dueAt = performance.now() + 11_000;
  await waitFor('some mails', () => sink.received.length > chance.between(0, REQUESTS - 1));
  await Promise.all([web.stop(), worker.stop()]);
  await redis.kill();
  await postgres.stop('fast');
  const takenBefore = sink.received.length;
  expect(takenBefore).toBeLessThan(3 * REQUESTS);
  await waitFor('every mail to be due', () => performance.now() > dueAt);

  await postgres.start();
  await redis.start();
  const recoveredAt = Date.now();
  await startWeb(settings);
  await startWorker(settings);
  const database = createDatabase(postgres.url, 'test');
  onTestFinished(() => database.destroy());
  await waitFor('all mails', async () => (await countStates(database))['sent'] === 3 * REQUESTS, 60_000);

  const times = sink.received.slice(takenBefore).map(({ receivedAt }) => receivedAt);
  expect(times.length).toBeGreaterThan(REQUESTS);
  // The first mail of a freshly started worker takes longer than the others.
  times.shift();
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  // On a busy machine, the last mail may be faster than the first. Without the limit, the span would be almost zero.
  expect(span).toBeGreaterThan(0.8 * (times.length - 1) * INTERVAL_MS);
  await fixture.expectMails({ database, recoveredAt });
});
