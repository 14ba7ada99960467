import { expect } from 'vitest';
import type { Database } from '../../shared/node/database/database.ts';
import { Minute } from '../../shared/time.ts';
import type { ReceivedMail } from '../support/smtp-sink.ts';

/** A mail or record that another system accepted. */
export interface Receipt {
  readonly deliveryId: string;
  readonly at: number;
}

/** Visitors' responses, stored rows, and the mails or records that other systems accepted. */
export interface Evidence {
  readonly database: Database;
  /** Ids of the requests that were accepted. */
  readonly accepted: readonly string[];
  readonly receipts: readonly Receipt[];
  /** The kinds of delivery that `receipts` covers. */
  readonly kinds: readonly string[];
  /** When the outage ended; undefined for a fault that must not delay a delivery for long. */
  readonly recoveredAt?: number;
}

const UUID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/;

/** Lists the receipts of mails. The Message-ID contains the delivery's id. */
export function listMailReceipts(
  received: ReadonlyArray<Pick<ReceivedMail, 'mail' | 'receivedAt'>>,
): Receipt[] {
  return received.map(({ mail, receivedAt }) => ({
    deliveryId: UUID.exec(mail.messageId ?? '')?.[0] ?? 'unknown',
    at: receivedAt,
  }));
}

/** Returns the latest time that promise P4 allows: a minute after the due time, or five minutes after an outage. */
function getLatest(dueAt: Date, recoveredAt: number | undefined): number {
  return recoveredAt === undefined
    ? dueAt.getTime() + 1 * Minute
    : Math.max(dueAt.getTime() + 1 * Minute, recoveredAt + 5 * Minute);
}

/** Lists accepted requests that lack a row or any of their deliveries. */
async function listLostRequests({ database, accepted, kinds }: Evidence): Promise<string[]> {
  const stored = await database('contact_submissions').select('id');
  const planned = await database('deliveries').select('submission_id', 'kind');
  const known = new Set([
    ...stored.map(({ id }) => id),
    ...planned.map((row) => `${row.submission_id} ${row.kind}`),
  ]);

  return accepted.filter((id) => !known.has(id) || kinds.some((kind) => !known.has(`${id} ${kind}`)));
}

/** Compares the evidence with the promises. Returns the ids of the requests, deliveries and receipts that break any. */
async function reconcile(evidence: Evidence) {
  const { database, receipts, kinds, recoveredAt } = evidence;
  const deliveries = await database('deliveries').whereIn('kind', [...kinds]);
  const ids = new Set(deliveries.map(({ id }) => id));
  const listTimes = (id: string) =>
    receipts.filter(({ deliveryId }) => deliveryId === id).map(({ at }) => at);
  const pick = (isWrong: (row: (typeof deliveries)[number], times: readonly number[]) => boolean) =>
    deliveries.filter((row) => isWrong(row, listTimes(row.id))).map(({ id }) => id);

  return {
    lost: [
      ...(await listLostRequests(evidence)),
      ...pick(({ state }, times) => (state === 'sent' ? times.length === 0 : state === 'cancelled')),
    ],
    duplicate: deliveries.flatMap(({ id }) => listTimes(id).slice(1).map(() => id)),
    unknown: receipts.map(({ deliveryId }) => deliveryId).filter((id) => !ids.has(id)),
    early: pick((row, times) => times.some((at) => at < row.due_at.getTime())),
    late: pick((row, times) => {
      const isOpen = row.state === 'pending' || row.state === 'leased';
      const first = times[0] ?? (isOpen ? Date.now() : 0);

      return first > getLatest(row.due_at, recoveredAt);
    }),
  };
}

/**
 * Prints the numbers of lost, duplicate, early, late and unknown deliveries. Fails if there are more than
 * `maxDuplicates` duplicates or any other fault.
 */
export async function expectNothingLost(evidence: Evidence, maxDuplicates = 0): Promise<void> {
  const { lost, duplicate, unknown, early, late } = await reconcile(evidence);
  process.stdout.write(
    `${expect.getState().currentTestName ?? ''}\n  ${evidence.kinds.join()}: accepted ${evidence.accepted.length}, received ${evidence.receipts.length}, ` +
      `lost ${lost.length}, duplicate ${duplicate.length}, early ${early.length}, late ${late.length}, unknown ${unknown.length}\n`,
  );

  expect({ lost, unknown, early, late }).toEqual({ lost: [], unknown: [], early: [], late: [] });
  expect(duplicate.length).toBeLessThanOrEqual(maxDuplicates);
}
