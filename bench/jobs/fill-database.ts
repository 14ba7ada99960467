import type { Database } from '../../shared/node/database/database.ts';
import type { DeliveryKind, ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import { sampleSubmission } from '../../tests/support/sample-mails.ts';

/** Forgets every request with its deliveries. */
export async function emptyTables(database: Database): Promise<void> {
  await database.raw('truncate contact_submissions cascade');
}

/** Adds the sample request so often; `receivedAt` is SQL, in which `number` counts the rows. */
async function addSubmissions(
  database: Database,
  { count, receivedAt, isContacted }: { count: number; receivedAt: string; isContacted: boolean },
): Promise<void> {
  const { name, email, company, phone, industry, message, source } = sampleSubmission;
  await database.raw(
    `insert into contact_submissions (
      id, name, email, company, phone, industry, message, source,
      submitted_at, received_at, contacted_at
    )
    select gen_random_uuid(), :name, :email, :company, :phone, :industry, :message, :source,
      ${receivedAt}, ${receivedAt}, ${isContacted ? receivedAt : 'null'}
    from generate_series(1, :count) as number`,
    { name, email, company, phone, industry, message, source: JSON.stringify(source), count },
  );
}

/** Adds requests with one delivery each that is due now, and has no job. */
export async function addDueDeliveries(
  database: Database,
  kind: DeliveryKind,
  count: number,
): Promise<readonly ScheduledDelivery[]> {
  await addSubmissions(database, { count, receivedAt: 'now()', isContacted: false });
  const { rows } = await database.raw<{ rows: Array<{ id: string }> }>(
    `insert into deliveries (submission_id, kind, stage, due_at)
    select id, :kind, :stage, now() from contact_submissions
    where not exists (select from deliveries where submission_id = contact_submissions.id)
    returning id`,
    { kind, stage: kind === 'follow-up' ? 'new' : null },
  );

  return rows.map(({ id }) => ({ id, kind, delayMs: 0, priority: 0 }));
}

const ALL_DELIVERIES = `(values
  ('follow-up', 'new'), ('follow-up', 'reminder'), ('follow-up', 'due'), ('crm-export', null)
) as plan (kind, stage)`;

/** Adds requests with all four of their deliveries due now, none of which has a job. */
export async function addDueSubmissions(database: Database, count: number): Promise<void> {
  await addSubmissions(database, { count, receivedAt: 'now()', isContacted: false });
  await database.raw(`
    insert into deliveries (submission_id, kind, stage, due_at)
    select id, kind, stage, now() from contact_submissions, ${ALL_DELIVERIES}
  `);
}

/** Adds so many deliveries that were done in the past two years, for answered requests. */
export async function addOldDeliveries(database: Database, count: number): Promise<void> {
  await addSubmissions(database, {
    count: count / 4,
    receivedAt: "now() - interval '1 day' - number * interval '700 days' / :count",
    isContacted: true,
  });
  await database.raw(`
    insert into deliveries (submission_id, kind, stage, due_at, state, attempts, sent_at, remote_ref)
    select id, kind, stage, received_at, 'sent', 1, received_at, 'remote'
    from contact_submissions, ${ALL_DELIVERIES}
  `);
}

/** Adds requests whose reminder and last mail are due within a day. */
export async function addPendingDeliveries(database: Database, count: number): Promise<void> {
  await database.raw(
    `with submissions as (
      insert into contact_submissions (id, name, email, company, submitted_at)
      select gen_random_uuid(), 'Name', 'name@example.com', 'Company', now()
      from generate_series(1, :count)
      returning id
    )
    insert into deliveries (submission_id, kind, stage, due_at)
    select id, 'follow-up', stage, now() + interval '20 hours'
    from submissions, (values ('reminder'), ('due')) as plan (stage)`,
    { count: count / 2 },
  );
}
