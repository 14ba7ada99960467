import type { DeliveryHold } from '../shared/node/deliveries/delivery-hold.ts';
import type { ListedDelivery } from '../shared/node/deliveries/list-deliveries.ts';
import { formatTime } from './terminal.ts';

/** What a delivery is. */
export const describeKind = ({ kind, stage }: ListedDelivery): string =>
  stage ? `${kind} ${stage}` : kind;

/** Why a delivery's last try failed; one whose answer was lost may have reached the other side. */
export function describeLastError(delivery: ListedDelivery): string | null {
  const { maybe_duplicate: isMaybeSent, last_error: error } = delivery;
  if (!isMaybeSent) return error;

  return error === null ? 'maybe sent' : `maybe sent; ${error}`;
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
