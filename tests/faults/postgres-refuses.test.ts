import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import type { Database } from '../../shared/node/database/database.ts';
import { makeStrangersBody } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, longTimeoutWorker } from './fault-fixture.ts';
import { untilReady } from './web-health.ts';

const untilCount = (database: Database, count: number) =>
  waitFor('all mails', async () => (await countStates(database))['sent'] === count);

/** Opens connections until the server refuses more. Returns a function that closes them. */
async function holdAllConnections(url: string): Promise<() => Promise<void>> {
  const held: pg.Client[] = [];

  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch {
      return async () => {
        await Promise.all(held.map((holder) => holder.end()));
      };
    }
    held.push(client);
  }
}

faultRow(7, 'PostgreSQL has no free connection: web quickly responds with 503, and works again without a restart', async (chance) => {
  const postgres = await startOwnPostgres({
    max_connections: String(chance.between(5, 9)),
    superuser_reserved_connections: '0',
    reserved_connections: '0',
  });
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker, DATABASE_URL: postgres.url });
  await fixture.database.destroy();
  // If web started earlier, it would keep using its open connections.
  const release = await holdAllConnections(postgres.url);
  const web = await startWeb(fixture.settings);

  const bodies = Array.from({ length: 15 }, () => makeStrangersBody());
  const startedAt = performance.now();
  const responses = await Promise.all(bodies.map((body) => fixture.submit(web.origin, body)));
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  for (const response of responses) {
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).not.toBeNull();
  }
  expect((await fetch(`${web.origin}/contact`)).status).toBe(200);

  await release();
  await untilReady(web.origin);
  for (const body of bodies) expect((await fixture.submit(web.origin, body)).status).toBe(201);
});

const untilWebWaits = (database: Database) =>
  waitFor('web to wait for the rival', async () => {
    const { rows } = await database.raw<{ rows: unknown[] }>(`
      select from pg_stat_activity other join pg_stat_activity web
        on other.pid = any(pg_blocking_pids(web.pid))
      where other.application_name = 'rival' and web.application_name = 'web'
        and web.datname = current_database()
    `);

    return rows.length > 0;
  });

async function connectRival(url: string): Promise<pg.Client> {
  const rival = new pg.Client({ connectionString: url, application_name: 'rival' });
  onTestFinished(() => rival.end());
  await rival.connect();
  // Web has a shorter timeout, so it detects the deadlock first.
  await rival.query("set deadlock_timeout = '1min'");

  return rival;
}

/** SQL that another session runs to make web's transaction fail once, so that web has to retry it. */
const rivalries = {
  deadlock: {
    // One statement writes both tables. It writes the request's row first.
    setUp: `
      create function lock_in_order() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(tg_argv[0]::int); return new; end $$;
      create trigger first before insert on contact_submissions
        for each row execute function lock_in_order('1');
      create trigger second before insert on deliveries
        for each row execute function lock_in_order('2');
    `,
    begin: 'begin; select pg_advisory_xact_lock(2)',
    // Web holds this lock until PostgreSQL aborts its transaction because of the deadlock.
    strike: 'select pg_advisory_xact_lock(1)',
    setting: "deadlock_timeout = '300ms'",
  },
  'serialization failure': {
    setUp: `
      create table tally as select 0 as count;
      create function count_up() returns trigger language plpgsql as
        $$ begin update tally set count = count + 1; return new; end $$;
      create trigger counting before insert on deliveries
        for each statement execute function count_up();
    `,
    begin: 'begin; update tally set count = count + 1',
    strike: 'select',
    setting: "default_transaction_isolation = 'repeatable read'",
  },
} as const;

for (const [failure, { setUp, begin, strike, setting }] of Object.entries(rivalries)) {
  faultRow(8, `A ${failure}: web makes up to three attempts, then responds with 503, and never stores half a request`, async (chance) => {
    const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
    const { database, settings } = fixture;
    await database.raw(setUp);
    await database.raw(`do $$ begin
      execute format('alter database %I set ${setting.replaceAll("'", "''")}', current_database());
    end $$`);
    const web = await startWeb(settings);
    const rival = await connectRival(settings['DATABASE_URL'] ?? '');
    const failures = chance.between(1, 3);
    const body = makeStrangersBody();

    await rival.query(begin);
    const pendingResponse = fixture.submit(web.origin, body);
    for (let count = 1; count <= failures; count += 1) {
      await untilWebWaits(database);
      await rival.query(strike);
      await rival.query(count === failures ? 'commit' : `commit; ${begin}`);
    }
    const response = await pendingResponse;

    expect(response.status).toBe(failures === 3 ? 503 : 201);
    expect(await database('contact_submissions')).toHaveLength(failures === 3 ? 0 : 1);
    expect(await database('deliveries')).toHaveLength(failures === 3 ? 0 : 4);
    expect((await fixture.submit(web.origin, body)).status).toBe(failures === 3 ? 201 : 200);
    expect(await database('deliveries')).toHaveLength(4);
    await startWorker(settings);
    await untilCount(database, 1);
    await fixture.expectMails();
  });
}
