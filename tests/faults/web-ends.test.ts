import { request } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { createDatabase } from '../../shared/node/database/database.ts';
import { apiPaths } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, longTimeoutWorker, setUpFault } from './fault-fixture.ts';

const KILLS = 8;
const POSTS_PER_KILL = 25;

faultRow(27, 'Web kill -9 at random instants: a retry with the same key gives one', async (chance) => {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const { database, settings } = fixture;
  let web = await startWeb(settings);

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const bodies = Array.from({ length: POSTS_PER_KILL }, () => makeContactBody());
    const { origin } = web;
    const posting = bodies.map((body) => fixture.submit(origin, body).catch(() => undefined));
    await chance.letTimePass(60);
    await web.stop('SIGKILL');
    const firstResponses = await Promise.all(posting);

    web = await startWeb(settings);
    for (const [index, body] of bodies.entries()) {
      // A machine under load may respond with 503, which a client repeats.
      const again = await waitFor('a response but 503', async () => {
        const response = await fixture.submit(web.origin, body);

        return response.status !== 503 && response;
      });
      expect([200, 201]).toContain(again.status);
      if (firstResponses[index]?.ok) expect(again.status).toBe(200);
    }
  }

  const count = KILLS * POSTS_PER_KILL;
  expect(new Set(fixture.accepted).size).toBe(count);
  expect(await database('contact_submissions')).toHaveLength(count);
  expect(await database('deliveries')).toHaveLength(4 * count);
  const recoveredAt = Date.now();
  await startWorker(settings);
  await waitFor('all mails', async () => (await countStates(database))['sent'] === count, 60_000);
  await fixture.expectMails({ recoveredAt });
});

/** A post on a connection of its own: its status, or undefined when the connection was closed. */
function postAlone(origin: string, body: unknown): Promise<number | undefined> {
  return new Promise((resolve) => {
    const call = request(
      origin + apiPaths.contactSubmissions,
      { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } },
      (response) => {
        response.resume().once('close', () => resolve(response.complete ? response.statusCode : undefined));
      },
    );
    call.once('error', () => resolve(undefined));
    call.end(JSON.stringify(body));
  });
}

interface Post {
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number | undefined;
}

/** Posts one after another, in `lanes` lanes, until stopped. */
async function postUntil(signal: AbortSignal, origin: string, lanes: number): Promise<Post[]> {
  const posts: Post[] = [];
  const runLane = async () => {
    while (!signal.aborted) {
      const body = makeContactBody();
      const startedAt = performance.now();
      const status = await postAlone(origin, body);
      posts.push({ id: body.id, startedAt, endedAt: performance.now(), status });
    }
  };
  await Promise.all(Array.from({ length: lanes }, runLane));

  return posts;
}

const HOLD_MS = 700;
/** Within so many milliseconds a request, or the signal, has reached the process, on a busy machine too. */
const ARRIVAL_MS = 200;

faultRow(28, 'Web SIGTERM under load: what is in flight is answered, new requests get 503 or no connection', async (chance) => {
  const fixture = await setUpFault({ ...oneMail, RATE_LIMIT_CONTACT: '100000/10m' });
  const web = await startWeb(fixture.settings);
  const holder = createDatabase(fixture.settings['DATABASE_URL'] ?? '', 'test');
  onTestFinished(() => holder.destroy());
  // Makes every request long enough to be in flight when the signal comes.
  await holder.raw(`
    create function hold() returns trigger language plpgsql as
      $$ begin perform pg_sleep(${HOLD_MS / 1_000}); return null; end $$;
    create trigger hold after insert on deliveries for each statement execute function hold();
  `);
  const stop = new AbortController();
  const posting = postUntil(stop.signal, web.origin, 8);
  await waitFor('requests in flight', async () => {
    const { rows } = await fixture.database.raw<{ rows: unknown[] }>(
      "select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
    );

    return rows.length > 0;
  });
  await chance.letTimePass(HOLD_MS - 200, ARRIVAL_MS);

  const signalledAt = performance.now();
  expect(await web.stop()).toBe(0);
  stop.abort();
  const posts = await posting;

  const arrived = posts.filter(({ startedAt }) => startedAt < signalledAt - ARRIVAL_MS);
  expect(arrived.filter(({ endedAt }) => endedAt > signalledAt).length).toBeGreaterThan(0);
  expect(arrived.filter(({ status }) => status !== 201)).toEqual([]);
  const later = posts.filter(({ startedAt }) => startedAt > signalledAt + ARRIVAL_MS);
  expect(later.length).toBeGreaterThan(0);
  expect(later.filter(({ status }) => status !== undefined && status !== 503)).toEqual([]);
  const answered = posts.filter(({ status }) => status === 201).map(({ id }) => id);
  await fixture.expectMails({ accepted: answered });

  // A client that saw no success repeats, and gets one.
  await holder.raw('drop trigger hold on deliveries');
  const next = await startWeb(fixture.settings);
  for (const { id, status } of posts.filter((post) => post.status !== 201).slice(-20)) {
    expect([undefined, 503]).toContain(status);
    expect([200, 201]).toContain((await postContact(next.origin, makeContactBody({ id }))).status);
  }
});
