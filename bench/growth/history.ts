import pg from 'pg';
import type { PostgresServer } from '../../scripts/embedded-postgres.ts';
import type { Environment } from '../harness/pinned-process.ts';
import { migrate } from '../harness/stores.ts';

/** A database with a history of requests, all of them contacted except those of the last hours. */
export interface History {
  readonly url: string;
  readonly requests: number;
  /** Of processes that work on it. */
  readonly settings: Environment;
}

/** The same however long the history is. */
const OPEN = 30;
const HELD = 10;
const RELEASED = 10;

/**
 * The newest are open, then come held and released ones; the rest are contacted and spread over 23
 * months. Two tenths are past the retention time: the older one is anonymized, the other is about
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
 * Fills a migrated database as years would leave it: vacuumed and analyzed. Request number n has the id
 * `md5(n::text)::uuid` and the address `ada.N@example.org`; the newest is number 1.
 * @returns its URL
 */
export async function createHistory(server: PostgresServer, requests: number): Promise<string> {
  const url = await server.createDatabase(`history_${requests}`);
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    // Every delivery is about a request just written: foreign keys need no check.
    await client.query('set local session_replication_role = replica');
    await client.query(fillSubmissions(requests));
    await client.query(FILL_DELIVERIES);
    await client.query('commit');
    await client.query('vacuum analyze contact_submissions, deliveries');
  } finally {
    await client.end();
  }

  return url;
}
