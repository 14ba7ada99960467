import { expect, onTestFinished } from 'vitest';
import { createDatabase } from '../../shared/node/database/database.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault } from './fault-fixture.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { postSteadily, sendAgain } from './steady-posts.ts';

/** How many mails one worker sends concurrently. The kill can interrupt any of them before it is recorded as sent. */
const CONCURRENCY = 5;

/** Settings that make PostgreSQL confirm commits seconds before they are on disk. */
const asynchronousCommits = { synchronous_commit: 'off', wal_writer_delay: '10s' };

faultRow(44, 'All processes killed at the same time: accepted requests are stored and mailed, even on a server with asynchronous commits', async (chance) => {
  const postgres = await startOwnPostgres(asynchronousCommits);
  const fixture = await setUpFault({ ...oneMail, DATABASE_URL: postgres.url });
  const { settings, redis, accepted } = fixture;
  const web = await startWeb(settings);
  const worker = await startWorker(settings);
  const posting = postSteadily(fixture, web.origin);
  await waitFor('some requests', () => accepted.length > 10);
  await chance.letTimePass(1_500);

  await Promise.all([web.stop('SIGKILL'), worker.stop('SIGKILL'), redis.kill(), postgres.kill()]);
  const refused = await posting.stop();

  await postgres.start();
  const database = createDatabase(postgres.url, 'test');
  onTestFinished(() => database.destroy());
  const stored = await database('contact_submissions').select('id');
  expect(stored.map(({ id }) => id)).toEqual(expect.arrayContaining([...accepted]));
  await redis.start();
  const recoveredAt = Date.now();
  const next = await startWeb(settings);
  await startWorker(settings);
  await sendAgain(fixture, next.origin, refused.slice(0, 4));
  await waitFor('all mails', async () => {
    const { length } = await database('contact_submissions');

    return (await countStates(database))['sent'] === length;
  });
  await fixture.expectMails({ database, recoveredAt }, CONCURRENCY);
});
