import { createHash } from 'node:crypto';
import { createDatabase, batchTimeouts, type Database } from '../shared/node/database/database.ts';
import { migrateDatabase } from '../shared/node/database/migrate.ts';
import type { PostgresServer } from '../scripts/embedded-postgres.ts';

/** A database with a history of requests, all of which are answered but those of the last hours. */
export interface History {
  readonly url: string;
  readonly requests: number;
  /** Patient, as the operator's tool is. */
  readonly database: Database;
}

/** What waits is the same however long the history is. */
const OPEN = 30;
const HELD = 10;
const RELEASED = 10;

/** The id of the request with a number, the same in every database; the newest is number 1. */
export function getSubmissionId(number: number): string {
  const hash = createHash('md5').update(String(number)).digest('hex');

  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * The newest are open, then come held and released ones; the rest is answered and spread over 23
 * months. Two tenths are past the retention time: the older one is anonymised, the other is about
 * to be.
 */
const fillSubmissions = (total: number) => `
  insert into contact_submissions (
    id, name, email, company, phone, industry, message, submitted_at, received_at, body_hash, source,
    contacted_at, anonymised_at, quarantined_at, quarantine_reason, released_at
  )
  select
    md5(n::text)::uuid,
    case when is_erased then 'erased' else 'Ada Example ' || n end,
    case when is_erased then 'erased@invalid.example' else 'ada.' || n || '@example.org' end,
    case when is_erased then 'erased' else 'Example Sweets ' || n % 1000 end,
    case when not is_erased then '+1 555 0100' end,
    case when not is_erased then 'manufacturing' end,
    case when not is_erased then repeat('We spend Mondays retyping invoices. ', 6) end,
    received,
    received,
    case when not is_erased then encode(sha256(n::text::bytea), 'hex') end,
    case when not is_erased then '{"utm_source": "letter", "landing_path": "/"}'::jsonb end,
    case when n > ${OPEN + HELD} then received + interval '5 hours' end,
    case when is_erased then received + interval '24 months' end,
    case when n > ${OPEN} and n <= ${OPEN + HELD} then received end,
    case when n > ${OPEN} and n <= ${OPEN + HELD + RELEASED} then 'too-fast' end,
    case
      when n > ${OPEN + HELD} and n <= ${OPEN + HELD + RELEASED} then received + interval '1 hour'
    end
  from (
    select
      n,
      n > ${0.9 * total} as is_erased,
      now() - case
        when n <= ${OPEN + HELD + RELEASED} then n * interval '20 minutes'
        when n <= ${0.8 * total} then interval '1 day' + (n / ${total}.0) * interval '28 months'
        else interval '25 months' + (n / ${total}.0) * interval '6 months'
      end as received
    from generate_series(1, ${total}) as n
  ) as numbered`;

/** Three mails and an export each, all done but those of open requests; none for held ones. */
const FILL_DELIVERIES = `
  insert into deliveries (submission_id, kind, stage, due_at, state, attempts, sent_at, remote_ref)
  select
    id,
    kind,
    stage,
    due_at,
    case
      when contacted_at < due_at then 'cancelled'
      when due_at > now() then 'pending'
      else 'sent'
    end,
    1,
    case when due_at <= now() then due_at end,
    case when due_at <= now() then '<' || id || '.' || coalesce(stage, '') || '@example.org>' end
  from (
    select *, coalesce(released_at, received_at) + planned.after as due_at
    from contact_submissions
    cross join (values
      ('follow-up', 'new', interval '0'),
      ('follow-up', 'reminder', interval '20 hours'),
      ('follow-up', 'due', interval '24 hours'),
      ('crm-export', null, interval '0')
    ) as planned (kind, stage, after)
    where quarantined_at is null
  ) as plan`;

/**
 * Makes a database with so many requests and their deliveries, as years would leave it: vacuumed
 * and analysed.
 * @param server a running server
 */
export async function createHistory(
  server: PostgresServer,
  name: string,
  requests: number,
): Promise<History> {
  const url = await server.createDatabase(name);
  await migrateDatabase(url);
  const database = createDatabase(url, 'ops', batchTimeouts);
  await database.transaction(async (transaction) => {
    // Every delivery is about a request just written: nothing need be checked row by row.
    await transaction.raw('set local session_replication_role = replica');
    await transaction.raw(fillSubmissions(requests));
    await transaction.raw(FILL_DELIVERIES);
  });
  await database.raw('vacuum analyze contact_submissions, deliveries');

  return { url, requests, database };
}
