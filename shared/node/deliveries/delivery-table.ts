/*
 * The states of a delivery (ARCHITECTURE.md has the same table):
 *
 * | from | event | to |
 * | --- | --- | --- |
 * | none | its subject is accepted or released, or a sweep plans it | `pending` |
 * | `sent`, `cancelled` | of stage `overdue`: its request is still open, so a sweep plans the next morning's mail | `pending` |
 * | `pending` | it is due and wanted, its kind isn't paused, nothing is on hold, and a worker claims it | `leased` |
 * | `leased` | the receiver accepts it | `sent` |
 * | `leased` | the attempt fails and may succeed later, or its kind is paused | `pending`, not before `retry_at` |
 * | `leased` | it is permanently refused, fails 72 h after it was due, or a second hand-over has an unknown outcome | `dead` |
 * | `leased` | its request no longer wants it at the hand-over | `pending` |
 * | `leased` | nothing is left to do, or it is sent at most once and the outcome is unknown | `cancelled` |
 * | `leased` | the lease expires before the hand-over | `pending`, claimable immediately; `dead` after the tenth expiry |
 * | `leased` | the lease expires after the hand-over | `pending` the first time, `dead` the second; `cancelled` if it is sent at most once |
 * | `pending`, `dead` | its request no longer wants it | `cancelled` |
 * | `pending`, `dead` | its request is erased | `cancelled` |
 * | `pending`, `leased`, `dead` | a restore may have recreated it, and it is sent at most once | `cancelled` |
 * | `cancelled` | it was not wanted, and sales undoes the reason | its previous state (`swept_from`) |
 * | `dead` | `ops deliveries retry`, `ops deliveries cancel` | `pending`, `cancelled` |
 */

import {
  atMostOnceKinds,
  openRequestKinds,
  type DeliveryKind,
  type DeliveryState,
  type FollowUpStage,
  type ScheduledDelivery,
} from '../../deliveries/delivery.ts';
import { CAUSE_IS_NOT_UNDONE } from '../contact/submission-events.ts';
import { IS_OPEN } from '../contact/submission-state.ts';

/** Only this folder writes the table. All times come from PostgreSQL, because the processes' clocks may be wrong. */
export const DELIVERIES = 'deliveries';

export interface DeliveryRow {
  id: string;
  /** What the delivery is about. Exactly one of the three is set. */
  submission_id: string | null;
  subscription_id: string | null;
  subject: string | null;
  kind: DeliveryKind;
  stage: FollowUpStage | null;
  due_at: Date;
  state: DeliveryState;
  attempts: number;
  lease_until: Date | null;
  lease_token: string | null;
  remote_ref: string | null;
  last_error: string | null;
  sent_at: Date | null;
  retry_at: Date | null;
  lease_expiries: number;
  /** CRM ids, by step. */
  remote_steps: Record<string, string>;
  maybe_duplicate: boolean;
  /** When the last attempt was about to hand over its mail or POST request. */
  handed_over_at: Date | null;
  /** Number of hand-overs with an unknown outcome. */
  lost_answers: number;
  /** The address of the only recipient. Null if the mail goes to everyone in sales, or if this is not a mail. */
  recipient: string | null;
  /** The event that caused the delivery; null if it was planned with its subject. */
  event_id: string | null;
  /** The state before the delivery was cancelled as unwanted. Null for all other deliveries. */
  swept_from: 'pending' | 'dead' | null;
  /** For stage `overdue`: the number of mornings on which its mail was sent. */
  mornings: number;
}

export const listInSql = (kinds: readonly DeliveryKind[]): string => kinds.map((kind) => `'${kind}'`).join(', ');

/** SQL condition for planned mails that are due before their request's snooze ends. */
const IS_SNOOZED = `event_id is null and due_at < snoozed_until
  and (stage in ('reminder', 'overdue') or stage = 'due' and snoozed_past_promise)`;
/** SQL condition: the delivery's request still needs it. Ignores the delivery's `state`; see `updateWanted`. */
export const IS_WANTED = `((submission_id is null or exists (
  select from contact_submissions
  where contact_submissions.id = deliveries.submission_id and anonymised_at is null
    and (kind not in (${listInSql(openRequestKinds)}) or ${IS_OPEN} and (${IS_SNOOZED}) is not true)
)) and (event_id is null or ${CAUSE_IS_NOT_UNDONE}))`;
/** SQL condition for kinds that aren't retried after an unknown outcome. */
export const IS_AT_MOST_ONCE = `kind in (${listInSql(atMostOnceKinds)})`;

export const READY_AT = 'greatest(due_at, coalesce(retry_at, due_at))';
/** Like `READY_AT`, but not before the kind's pause ends. During a hold, at least a minute from now. */
export const CLAIMABLE_AT = `greatest(
  ${READY_AT},
  (select max(until) from delivery_pauses where delivery_pauses.kind = deliveries.kind),
  (select now() + interval '1 minute' from delivery_hold)
)`;
export const IS_NOT_PAUSED = `not exists (
  select from delivery_pauses where delivery_pauses.kind = deliveries.kind and until > now()
)`;
/** The reason for pausing a kind that has no provider in the settings. */
export const NO_PROVIDER = 'no-provider';
/** SQL condition: the kind has a provider. */
export const HAS_PROVIDER = `not exists (
  select from delivery_pauses
  where delivery_pauses.kind = deliveries.kind and reason = '${NO_PROVIDER}' and until > now()
)`;
/** SQL condition: there is no hold. */
export const HAS_NO_HOLD = 'not exists (select from delivery_hold)';
/** SQL for the milliseconds from now to a time. */
export const selectMsUntil = (time: string) => `(extract(epoch from ${time} - now()) * 1000)::float8`;

export interface ReadyRow extends Pick<DeliveryRow, 'id' | 'kind'> {
  /** Milliseconds until the delivery may be tried; negative once that time has passed. */
  readonly delay_ms: number;
}

export const toScheduled = ({ id, kind, delay_ms: delayMs }: ReadyRow): ScheduledDelivery => ({
  id,
  kind,
  delayMs: Math.max(0, delayMs),
});

/** SQL condition for requests with a pending mail that one of their events caused. */
export const HAS_PENDING_EVENT_MAIL = `exists (
  select from deliveries
  where deliveries.submission_id = contact_submissions.id and event_id is not null
    and state in ('pending', 'leased') and ${IS_WANTED}
)`;

/** Returns an SQL condition for subscriptions with a mail that was due at or after `time`. */
export const makeMailSinceCondition = (time: string): string => `exists (
  select from deliveries
  where deliveries.subscription_id = newsletter_subscriptions.id and deliveries.due_at >= ${time}
)`;
