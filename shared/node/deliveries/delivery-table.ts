/*
 * The states of a delivery (ARCHITECTURE.md has the same table):
 *
 * | from | event | to |
 * | --- | --- | --- |
 * | none | its subject is accepted or released, or a sweep plans it | `pending` |
 * | `sent`, `cancelled` | of stage `overdue`: its request is still open, so a sweep plans the next morning's mail | `pending` |
 * | `pending` | it is due and wanted, its kind isn't paused, nothing is on hold, and a worker claims it | `leased` |
 * | `leased` | the other side accepts it | `sent` |
 * | `leased` | the attempt fails and may succeed later, or its kind is paused | `pending`, not before `retry_at` |
 * | `leased` | it is refused for good, fails 72 h after it was due, or a second hand-over has an unknown outcome | `dead` |
 * | `leased` | its request no longer wants it at the hand-over | `pending` |
 * | `leased` | nothing is left to do, or it is sent at most once and the outcome is unknown | `cancelled` |
 * | `leased` | the lease expires before the hand-over | `pending`, to be claimed at once; `dead` at the tenth time |
 * | `leased` | the lease expires after the hand-over | `pending` the first time, `dead` the second; `cancelled` if it is sent at most once |
 * | `pending`, `dead` | its request no longer wants it | `cancelled` |
 * | `pending`, `dead` | its request is erased | `cancelled` |
 * | `pending`, `leased`, `dead` | a restore may have brought it back, and it is sent at most once | `cancelled` |
 * | `cancelled` | it was not wanted, and sales undoes the reason | the state it had (`swept_from`) |
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

/** Only this folder writes the table. All times are PostgreSQL's, because the clocks of web and worker may be wrong. */
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
  /** Ids in the CRM, by step. */
  remote_steps: Record<string, string>;
  maybe_duplicate: boolean;
  /** When the last attempt was about to hand over its mail or post. */
  handed_over_at: Date | null;
  /** Number of hand-overs with an unknown outcome. */
  lost_answers: number;
  /** The address of the only recipient. Null if the mail goes to all of sales, or if this is not a mail. */
  recipient: string | null;
  /** The event that caused it; null if it was planned with its subject. */
  event_id: string | null;
  /** The state before it was cancelled as unwanted; null for all others. */
  swept_from: 'pending' | 'dead' | null;
  /** With stage `overdue`: on how many mornings its mail was sent. */
  mornings: number;
}

export const listInSql = (kinds: readonly DeliveryKind[]): string => kinds.map((kind) => `'${kind}'`).join(', ');

/** SQL that is true for a planned mail that is due before the end of its request's snooze. */
const IS_SNOOZED = `event_id is null and due_at < snoozed_until
  and (stage in ('reminder', 'overdue') or stage = 'due' and snoozed_past_promise)`;
/** SQL that is true if the delivery's request still needs it, whatever the delivery's state. `updateWanted` adjusts states. */
export const IS_WANTED = `((submission_id is null or exists (
  select from contact_submissions
  where contact_submissions.id = deliveries.submission_id and anonymised_at is null
    and (kind not in (${listInSql(openRequestKinds)}) or ${IS_OPEN} and (${IS_SNOOZED}) is not true)
)) and (event_id is null or ${CAUSE_IS_NOT_UNDONE}))`;
/** SQL that is true for a kind that isn't retried after an unknown outcome. */
export const IS_AT_MOST_ONCE = `kind in (${listInSql(atMostOnceKinds)})`;

export const READY_AT = 'greatest(due_at, coalesce(retry_at, due_at))';
/** As `READY_AT`, and not before the end of the kind's pause. During a hold: in a minute. */
export const CLAIMABLE_AT = `greatest(
  ${READY_AT},
  (select max(until) from delivery_pauses where delivery_pauses.kind = deliveries.kind),
  (select now() + interval '1 minute' from delivery_hold)
)`;
export const IS_NOT_PAUSED = `not exists (
  select from delivery_pauses where delivery_pauses.kind = deliveries.kind and until > now()
)`;
/** Reason of a pause: the settings name no provider for the kind. */
export const NO_PROVIDER = 'no-provider';
/** SQL that is true unless the kind has no provider. */
export const HAS_PROVIDER = `not exists (
  select from delivery_pauses
  where delivery_pauses.kind = deliveries.kind and reason = '${NO_PROVIDER}' and until > now()
)`;
/** SQL that is true unless there is a hold. */
export const HAS_NO_HOLD = 'not exists (select from delivery_hold)';
/** SQL for the milliseconds from now to a time. */
export const selectMsUntil = (time: string) => `(extract(epoch from ${time} - now()) * 1000)::float8`;

export interface ReadyRow extends Pick<DeliveryRow, 'id' | 'kind'> {
  /** Milliseconds until it may be tried; negative once that time has passed. */
  readonly delay_ms: number;
}

export const toScheduled = ({ id, kind, delay_ms: delayMs }: ReadyRow): ScheduledDelivery => ({
  id,
  kind,
  delayMs: Math.max(0, delayMs),
});

/** SQL that is true for a request with a pending mail that an action of sales caused. */
export const HAS_PENDING_EVENT_MAIL = `exists (
  select from deliveries
  where deliveries.submission_id = contact_submissions.id and event_id is not null
    and state in ('pending', 'leased') and ${IS_WANTED}
)`;

/** Returns SQL that is true for a subscription with a mail due since a time. */
export const makeMailSinceCondition = (time: string): string => `exists (
  select from deliveries
  where deliveries.subscription_id = newsletter_subscriptions.id and deliveries.due_at >= ${time}
)`;
