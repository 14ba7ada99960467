import { Hour, Second } from '../../time.ts';
import { DeliveryError } from '../deliveries/delivery-error.ts';
import type { OutboundResponse } from './outbound-client.ts';

/** Longest wait another side may impose; within it a lead isn't forgotten. */
const MAX_RETRY_AFTER = 6 * Hour;

/**
 * Milliseconds that `Retry-After` asks for, as seconds or as a date (RFC 9110, 10.2.3); undefined
 * when it is absent or unreadable.
 */
export function readRetryAfter(answer: OutboundResponse, now: number = Date.now()): number | undefined {
  const text = answer.header('retry-after')?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * Second : Date.parse(text) - now;

  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER);
}

/** Statuses that speak of the moment: time-out, locked, too early, too many requests, server faults. */
const isPassing = (status: number) =>
  [408, 423, 425, 429].includes(status) || status >= 500;

/** Reasons of `classifyResponse` for too many requests and for an overload. */
const LIMITED = /-(?:429|503)(?:-|$)/;

/** Whether an answer outside 2xx asks to call later, with or without saying when. */
export const asksToWait = ({ verdict, kindWaitsMs, reason }: DeliveryError): boolean =>
  verdict === 'retry' && (kindWaitsMs !== undefined || LIMITED.test(reason));

/**
 * What an answer outside 2xx means by its status alone: a passing fault is tried again, and asks all
 * of the kind to wait as long as `Retry-After` says; 401 and 403 hold back the kind until the
 * credentials are mended; anything else is about this lead, and a person has to look.
 * @param origin starts the reason, such as `hubspot`
 * @param detail ends the reason: a code of that API, never text that may repeat the lead
 */
export function classifyResponse(
  origin: string,
  answer: OutboundResponse,
  detail?: string,
): DeliveryError {
  const { status } = answer;
  const reason = [origin, status, ...(detail === undefined ? [] : [detail])].join('-');
  if (isPassing(status)) {
    return new DeliveryError('retry', reason, { kindWaitsMs: readRetryAfter(answer) });
  }

  return new DeliveryError(status === 401 || status === 403 ? 'paused' : 'dead', reason);
}
