import { describe, expect, test } from 'vitest';
import { getJobId } from '../../shared/deliveries/delivery.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import {
  countStates,
  listStages,
  setUpDeliveries,
  startWeb,
  startWorker,
  untilSent,
} from '../support/delivery-bench.ts';
import { waitFor } from '../support/wait-for.ts';

describe('when Redis goes away', () => {
  test('a request posted meanwhile is accepted and its jobs follow', async () => {
    const { settings, database, redis, sink } = await setUpDeliveries();
    const web = await startWeb(settings);
    await startWorker(settings);
    await redis.kill();

    expect((await postContact(web.origin, makeContactBody())).status).toBe(201);
    await redis.start();
    await untilSent(database, 4);

    expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
  });

  test('by hanging, requests are answered before it answers anything', async () => {
    const { settings, database, redis, sink } = await setUpDeliveries();
    const web = await startWeb(settings);
    await startWorker(settings);
    await postContact(web.origin, makeContactBody());
    redis.freeze();

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => postContact(web.origin, makeContactBody())),
    );
    redis.thaw();

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    await untilSent(database, 24);
    expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(18);
  });

  test('mails go out on time without it, and the worker still ends in order', async () => {
    const { settings, database, redis, sink } = await setUpDeliveries();
    const web = await startWeb(settings);
    const worker = await startWorker(settings);
    await redis.kill();

    await postContact(web.origin, makeContactBody());
    await untilSent(database, 4);

    expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
    expect(await worker.stop()).toBe(0);
  });

  test('web and worker start without it and join when it comes', async () => {
    const { settings, database, redis, sink } = await setUpDeliveries();
    await redis.kill();
    const web = await startWeb(settings);
    await startWorker(settings);

    await redis.start();
    await waitFor('web to reach Redis', async () => {
      const ready = (await (await fetch(`${web.origin}/health/ready`)).json()) as { redis: string };

      return ready.redis === 'up';
    });
    await postContact(web.origin, makeContactBody());
    await untilSent(database, 4);

    expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
  });

  test('or is full, mails still go out and an alert is raised', async () => {
    const { settings, database, redis, sink } = await setUpDeliveries();
    const web = await startWeb(settings);
    const worker = await startWorker(settings);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');

    const answer = await postContact(web.origin, makeContactBody());
    expect(answer.status).toBe(201);
    await untilSent(database, 4);

    expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
    expect(worker.output()).toContain('"alert":"queue-out-of-order"');
  });

  test('for twenty seconds, the idle worker takes jobs again within seconds of its return', async () => {
    const { settings, database, redis, sink } = await setUpDeliveries({
      FOLLOW_UP_REMINDER_AFTER: '1h',
      FOLLOW_UP_AFTER: '2h',
    });
    const web = await startWeb(settings);
    const worker = await startWorker(settings);
    await redis.kill();
    const outageEnd = performance.now() + 20_000;
    await waitFor('the outage to last 20 s', () => performance.now() > outageEnd, 30_000);
    await redis.start();
    await waitFor('web to reach Redis', async () => {
      const ready = (await (await fetch(`${web.origin}/health/ready`)).json()) as { redis: string };

      return ready.redis === 'up';
    });

    await postContact(web.origin, makeContactBody());
    await waitFor('the first mail', () => sink.received.length === 1, 10_000);

    expect(worker.hasExited()).toBe(false);
    await waitFor('the export', async () => (await countStates(database))['sent'] === 2);
  });

  test('and is emptied during the delay, every job is made anew', async () => {
    const { settings, database, redis } = await setUpDeliveries({
      FOLLOW_UP_REMINDER_AFTER: '20h',
      FOLLOW_UP_AFTER: '24h',
    });
    const web = await startWeb(settings);
    await startWorker(settings);
    await postContact(web.origin, makeContactBody());
    await waitFor('mail and export', async () => (await countStates(database))['sent'] === 2);
    const waiting = await database('deliveries').where({ state: 'pending' }).orderBy('due_at');
    expect(waiting.map(({ stage }) => stage)).toEqual(['reminder', 'due']);

    await redis.command('FLUSHALL');

    for (const { id, due_at: dueAt } of waiting) {
      const key = `bull:follow-up:${getJobId(id)}`;
      await waitFor('the job to be there again', async () => {
        return (await redis.command('EXISTS', key)) === 1;
      });
      const [delay, madeAt] = (await redis.command('HMGET', key, 'delay', 'timestamp')) as string[];
      // Due when PostgreSQL says, give or take the time it took to ask.
      expect(Math.abs(Number(delay) + Number(madeAt) - dueAt.getTime())).toBeLessThan(60_000);
    }
  });

  test('and is emptied shortly before a mail is due, the mail still goes out, once', async () => {
    const { settings, database, redis, sink } = await setUpDeliveries();
    const web = await startWeb(settings);
    await startWorker(settings);
    await postContact(web.origin, makeContactBody());
    await waitFor('the first mail', () => sink.received.length === 1);

    await redis.command('FLUSHALL');
    await untilSent(database, 4);

    expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
  });
});
