import { expect } from 'vitest';
import { startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, longTimeoutWorker } from './fault-fixture.ts';
import { measure } from './measure.ts';
import { untilJobsAreBack } from './redis-jobs.ts';
import { untilRedisIs } from './web-health.ts';

async function measurePost(post: () => Promise<Response>): Promise<number> {
  const [response, ms] = await measure(post);
  expect(response.status).toBe(201);

  return Math.round(ms);
}

faultRow(10, 'Redis killed during posts: requests are accepted, the worker shuts down gracefully, and the jobs are created later', async (chance) => {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const { database, redis, sink } = fixture;
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  const post = () => fixture.submit(web.origin);
  await post();
  const healthy = [await measurePost(post), await measurePost(post), await measurePost(post)];
  const posting = Array.from({ length: 6 }, post);
  await chance.letTimePass(60);
  await redis.kill();

  const stricken = [await measurePost(post), await measurePost(post), await measurePost(post)];
  for (const response of await Promise.all(posting)) expect(response.status).toBe(201);
  process.stdout.write(`POST with Redis ${healthy.join()} ms, without ${stricken.join()} ms\n`);
  expect(await worker.stop()).toBe(0);

  await redis.start();
  await startWorker(fixture.settings);
  await untilJobsAreBack(fixture);
  const { length } = fixture.accepted;
  await waitFor('the mails', async () => {
    return (await database('deliveries').where({ state: 'sent' })).length === length;
  });
  expect(sink.received).toHaveLength(length);
  await fixture.expectMails();
});

faultRow(11, 'Redis down when web and worker start: both work without it, and connect once it is up', async (chance) => {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const { database, redis, sink } = fixture;
  await redis.kill();
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  await untilRedisIs('down', web.origin);
  expect((await fetch(`${web.origin}/health/ready`)).status).toBe(200);
  expect((await fixture.submit(web.origin)).status).toBe(201);
  await waitFor('the mail without Redis', () => sink.received.length === 1);
  await chance.letTimePass(1_500);

  await redis.start();
  await untilRedisIs('up', web.origin);
  await untilJobsAreBack(fixture);
  expect((await fixture.submit(web.origin)).status).toBe(201);
  await waitFor('both mails', async () => {
    return (await database('deliveries').where({ state: 'sent' })).length === 2;
  });

  expect([web.hasExited(), worker.hasExited()]).toEqual([false, false]);
  await fixture.expectMails();
});
