import { expect } from 'vitest';
import type { Database } from '../../shared/node/database/database.ts';
import { Minute } from '../../shared/time.ts';
import type { ReceivedMail } from '../support/smtp-sink.ts';

/** One mail or record that another system accepted. */
export interface Receipt {
  readonly deliveryId: string;
  readonly at: number;
}

/** The visitors' responses, the stored rows, and the mails or records that other systems accepted. */
export interface Evidence {
  readonly database: Database;
  /** Ids of the requests that got a successful response. */
  readonly accepted: readonly string[];
  readonly receipts: readonly Receipt[];
  /** Kinds whose receipts are in the evidence. */
  readonly kinds: readonly string[];
  /** The end of the outage; undefined for a fault that should cause no long delay. */
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

/** The latest time of a delivery by promise P4: a minute after its due time, or five minutes after an outage. */
function getLatest(dueAt: Date, recoveredAt: number | undefined): number {
  return recoveredAt === undefined
    ? dueAt.getTime() + 1 * Minute
    : Math.max(dueAt.getTime() + 1 * Minute, recoveredAt + 5 * Minute);
}

/** Lists accepted requests without a row, or without a delivery of each kind. */
async function listLostRequests({ database, accepted, kinds }: Evidence): Promise<string[]> {
  const stored = await database('contact_submissions').select('id');
  const planned = await database('deliveries').select('submission_id', 'kind');
  const known = new Set([
    ...stored.map(({ id }) => id),
    ...planned.map((row) => `${row.submission_id} ${row.kind}`),
  ]);

  return accepted.filter((id) => !known.has(id) || kinds.some((kind) => !known.has(`${id} ${kind}`)));
}

/** Compares the promises with the evidence. Returns the ids of requests, deliveries and receipts with faults. */
async function reconcile(evidence: Evidence) {
  const { database, receipts, kinds, recoveredAt } = evidence;
  const deliveries = await database('deliveries').whereIn('kind', [...kinds]);
  const ids = new Set(deliveries.map(({ id }) => id));
  const takenAt = (id: string) =>
    receipts.filter(({ deliveryId }) => deliveryId === id).map(({ at }) => at);
  const pick = (isWrong: (row: (typeof deliveries)[number], taken: readonly number[]) => boolean) =>
    deliveries.filter((row) => isWrong(row, takenAt(row.id))).map(({ id }) => id);

  return {
    lost: [
      ...(await listLostRequests(evidence)),
      ...pick(({ state }, taken) => (state === 'sent' ? taken.length === 0 : state === 'cancelled')),
    ],
    duplicate: deliveries.flatMap(({ id }) => takenAt(id).slice(1).map(() => id)),
    unknown: receipts.map(({ deliveryId }) => deliveryId).filter((id) => !ids.has(id)),
    early: pick((row, taken) => taken.some((at) => at < row.due_at.getTime())),
    late: pick((row, taken) => {
      const isOpen = row.state === 'pending' || row.state === 'leased';
      const first = taken[0] ?? (isOpen ? Date.now() : 0);

      return first > getLatest(row.due_at, recoveredAt);
    }),
  };
}

/**
 * Prints the numbers of lost, duplicate, early, late and unknown deliveries. Fails unless there are no faults except at
 * most `maxDuplicates` duplicates.
 */
export async function expectNothingLost(evidence: Evidence, maxDuplicates = 0): Promise<void> {
  const { lost, duplicate, unknown, early, late } = await reconcile(evidence);
  process.stdout.write(
    `${expect.getState().currentTestName ?? ''}\n  ${evidence.kinds.join()}: accepted ${evidence.accepted.length}, taken ${evidence.receipts.length}, ` +
      `lost ${lost.length}, duplicate ${duplicate.length}, early ${early.length}, late ${late.length}, unknown ${unknown.length}\n`,
  );

  expect({ lost, unknown, early, late }).toEqual({ lost: [], unknown: [], early: [], late: [] });
  expect(duplicate.length).toBeLessThanOrEqual(maxDuplicates);
}
