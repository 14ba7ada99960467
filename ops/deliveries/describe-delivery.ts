import type { ListedDelivery } from '../../shared/node/deliveries/list-deliveries.ts';
import { formatTime } from '../cli/terminal.ts';

/** Returns a delivery's kind and stage, and its recipient if it is for one of several. */
export const describeKind = ({ kind, stage, recipient }: ListedDelivery): string =>
  [kind, ...(stage ? [stage] : []), ...(recipient === null ? [] : [`to ${recipient}`])].join(' ');

/** Returns the last attempt's error, whether an attempt may have succeeded, and when it handed over the mail (UTC). */
export function describeLastError(delivery: ListedDelivery): string | null {
  const { maybe_duplicate: isMaybeSent, handed_over_at: handedOverAt, last_error: error } = delivery;
  const isUnsure = isMaybeSent && delivery.state !== 'sent';
  const time = isUnsure && handedOverAt ? ` ${formatTime(handedOverAt)}` : '';
  const parts = [...(isMaybeSent ? [`maybe sent${time}`] : []), ...(error === null ? [] : [error])];

  return parts.length === 0 ? null : parts.join('; ');
}

/** Returns the ids under which the receiver knows the delivery, one for each step. For a mail it is the Message-ID. */
export function describeRemote({ remote_ref: ref, remote_steps: steps }: ListedDelivery): string {
  const names = Object.entries(steps).map(([step, name]) => `${step} ${name}`);

  return [...(ref === null ? [] : [ref]), ...names].join(', ');
}
