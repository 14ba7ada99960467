import { SUBMISSIONS } from '../contact/contact-submission-store.ts';
import { IS_OPEN, IS_UNREPORTED } from '../contact/submission-state.ts';
import { lockInTransaction } from '../database/advisory-lock.ts';
import { countRows, type Database } from '../database/database.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';
import { DELIVERIES, IS_WANTED } from './delivery-table.ts';

interface ReportTime {
  readonly timeZone: string;
  /** Minutes since the start of Monday. */
  readonly reportAt: number;
}

/** SQL for the Monday of the week whose report was due most recently. `time` is the local time. */
const REPORT_WEEK = "date_trunc('week', time - make_interval(mins => cast(:reportAt as integer)))";

/** Plans this week's report once it is due. A missed report is planned later, unless it would be the first one. */
export async function planReport(database: Database, { timeZone, reportAt }: ReportTime): Promise<void> {
  await database.raw(
    `with local as (select now() at time zone cast(:timeZone as text) as time)
    insert into ${DELIVERIES} (kind, subject, due_at)
    select 'report', ${REPORT_WEEK}::date::text, now() from local
    where (${REPORT_WEEK} + make_interval(mins => cast(:reportAt as integer)))::date = time::date
      or exists (select from ${DELIVERIES} where kind = 'report' and subject < ${REPORT_WEEK}::date::text)
    on conflict do nothing`,
    { timeZone, reportAt },
  );
}

/** Maximum number of requests in one mail. The next mail lists the rest. */
const MAX_LISTED = 120;

/** Sort order of held requests. Requests from floods or bots come last. */
const LIKELY_FIRST =
  "coalesce(quarantine_reasons && array['honeypot', 'network-rate'], false), quarantined_at, id";

const PLAN_HELD_MAIL = `
  with mail as (
    insert into ${DELIVERIES} (kind, subject, due_at)
    select 'held-requests', gen_random_uuid()::text, now()
    where exists (select from ${SUBMISSIONS} where ${IS_UNREPORTED})
      and not exists (
        select from ${DELIVERIES}
        where kind = 'held-requests' and recipient is null
          -- Ignores times in the future, which only a wrong clock can have set.
          and (state in ('pending', 'leased') or sent_at between now() - ? * interval '1 millisecond' and now())
      )
    returning subject
  )
  update ${SUBMISSIONS} set held_mail_id = subject::uuid from mail
  where id in (select id from ${SUBMISSIONS} where ${IS_UNREPORTED} order by ${LIKELY_FIRST} limit ?)`;

/** Plans a mail about held requests that no mail has listed yet, at least `interval` ms after the last such mail. */
export async function planHeldMail(database: Database, interval: number): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockInTransaction(transaction, 'held-requests');
    await transaction.raw(PLAN_HELD_MAIL, [interval, MAX_LISTED]);
  });
}

/** SQL condition for overdue requests whose next mail isn't planned yet. */
const NEEDS_MORNING_MAIL = `${IS_OPEN} and (snoozed_until is null or snoozed_until <= now())
  and exists (
    select from ${DELIVERIES} where submission_id = ${SUBMISSIONS}.id
      and stage = 'due' and recipient is null and state = 'sent'
  )
  and not exists (
    select from ${DELIVERIES} where submission_id = ${SUBMISSIONS}.id and stage = 'overdue'
      and (state = 'leased' or recipient is null and state in ('pending', 'dead'))
  )`;

/** Assigns a new id. The `Message-ID` derives from it, and mail servers drop mails with a known `Message-ID`. */
const PLAN_MORNING_MAIL = `
  insert into ${DELIVERIES} (submission_id, kind, stage, due_at)
  select unnest(:ids::uuid[]), 'follow-up', 'overdue', :dueAt::timestamptz
  on conflict (submission_id, kind, stage, recipient, event_id) where submission_id is not null
  do update set (id, due_at, state, attempts, retry_at, lease_expiries, handed_over_at, lost_answers, maybe_duplicate,
      remote_ref, last_error, swept_from, mornings)
    = (gen_random_uuid(), excluded.due_at, 'pending', 0, null, 0, null, 0, false, null, null, null,
      ${DELIVERIES}.mornings + (${DELIVERIES}.state = 'sent')::int)`;

/** Plans a mail for the next morning about each request that is still open after its due notice and isn't snoozed. */
export async function planMorningMails(
  database: Database,
  { promise, timeZone }: { readonly promise: ResponsePromise; readonly timeZone: string },
): Promise<void> {
  await database.transaction(async (transaction) => {
    // Recording or undoing an outcome also locks the request.
    const requests = await transaction(SUBMISSIONS)
      .whereRaw(NEEDS_MORNING_MAIL)
      .forNoKeyUpdate()
      .skipLocked()
      .select<Array<{ id: string; now: Date }>>('id', transaction.raw('now() as now'));
    const [first] = requests;
    if (!first) return;
    const ids = requests.map(({ id }) => id);
    // The next mail also goes to the recipients that were temporarily refused.
    await transaction(DELIVERIES)
      .whereRaw('submission_id = any(?::uuid[])', [ids])
      .where({ stage: 'overdue' })
      .whereNotNull('recipient')
      .whereNot({ state: 'leased' })
      .delete();
    await transaction.raw(PLAN_MORNING_MAIL, { ids, dueAt: promise.findNextMorning(first.now, timeZone) });
  });
}

/** After this many morning mails, an open request counts as forgotten. */
export const MAX_MORNINGS = 14;

/** Counts open requests that are forgotten. Snoozed ones don't count. */
export const countForgotten = (database: Database): Promise<number> =>
  countRows(
    database(DELIVERIES)
      .whereIn('state', ['pending', 'leased'])
      .where({ kind: 'follow-up', stage: 'overdue' })
      .where('mornings', '>=', MAX_MORNINGS)
      .whereNull('recipient')
      .whereRaw(IS_WANTED),
  );

/** Deletes sent and cancelled deliveries with a `subject` that were due more than `months` ago. */
export async function deleteOldPlanned(database: Database, months: number): Promise<void> {
  await database(DELIVERIES)
    .whereNotNull('subject')
    .whereIn('state', ['sent', 'cancelled'])
    .whereRaw('due_at < now() - make_interval(months => ?)', [months])
    .delete();
}
