import type { DeliveryHold } from '../../shared/node/deliveries/delivery-hold.ts';
import type { ListedDelivery } from '../../shared/node/deliveries/list-deliveries.ts';
import { formatTime } from '../cli/terminal.ts';

/** What a delivery is, and to whom if it is for one of several. */
export const describeKind = ({ kind, stage, recipient }: ListedDelivery): string =>
  [kind, ...(stage ? [stage] : []), ...(recipient === null ? [] : [`to ${recipient}`])].join(' ');

/**
 * Why a delivery's last try failed, and whether an earlier one may have reached the other side: an
 * answer was lost, a worker was killed, or a backup restored. A mail that the last try handed over has
 * the time of it, in UTC.
 */
export function describeLastError(delivery: ListedDelivery): string | null {
  const { maybe_duplicate: isMaybeSent, handed_over_at: handedOverAt, last_error: error } = delivery;
  const isUnsure = isMaybeSent && delivery.state !== 'sent';
  const time = isUnsure && handedOverAt ? ` ${formatTime(handedOverAt)}` : '';
  const parts = [...(isMaybeSent ? [`maybe sent${time}`] : []), ...(error === null ? [] : [error])];

  return parts.length === 0 ? null : parts.join('; ');
}

/** What the other side calls what it was given, step by step; empty when it said nothing. */
export function describeRemote({ remote_ref: ref, remote_steps: steps }: ListedDelivery): string {
  const names = Object.entries(steps).map(([step, name]) => `${step} ${name}`);

  return [...(ref === null ? [] : [ref]), ...names].join(', ');
}

/** Since when and why nothing is sent. */
export function describeHold({ heldAt, backupAt }: DeliveryHold): string {
  const why = backupAt ? `a backup of ${formatTime(backupAt)} UTC was restored` : 'held by hand';

  return `Nothing is sent since ${formatTime(heldAt)} UTC: ${why}.`;
}
