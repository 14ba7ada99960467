import { makeClient, makeStrangersBody, postContact } from '../support/contact-request.ts';
import { setUpDeliveries, type DeliveryFixture } from '../support/delivery-fixture.ts';
import type { Environment } from '../support/site-process.ts';
import { expectNothingLost, listMailReceipts, type Evidence } from './reconcile.ts';

export interface FaultFixture extends DeliveryFixture {
  /** Posts a request as a new client, and adds its id to `accepted` if that succeeds. */
  readonly submit: (origin: string, body?: { readonly id: string }) => Promise<Response>;
  readonly accepted: readonly string[];
  /** Compares the received mails with the accepted requests (`expectNothingLost`). */
  readonly expectMails: (
    evidence?: Partial<Evidence>,
    maxDuplicates?: number,
  ) => Promise<void>;
}

/** Each request has one mail due immediately and no export. Its other mails are due long after the test. */
export const oneMail = {
  FOLLOW_UP_REMINDER_AFTER: '1h',
  FOLLOW_UP_AFTER: '2h',
  CRM_PROVIDER: 'none',
} as const;

/** Settings with a lease and a timeout long enough for a busy machine, in milliseconds. */
export const longTimeoutWorker = { WORKER_TIMINGS: JSON.stringify({ lease: 20_000, attempt: 15_000 }) } as const;

/** Sets up real servers for one fault, and records which requests are accepted. */
export async function setUpFault(changes: Environment = {}): Promise<FaultFixture> {
  const fixture = await setUpDeliveries({ TRUST_PROXY: '127.0.0.1', ...changes });
  const accepted: string[] = [];

  return {
    ...fixture,
    accepted,
    submit: async (origin, body = makeStrangersBody()) => {
      const response = await postContact(origin, body, makeClient());
      if (response.ok) accepted.push(body.id);

      return response;
    },
    expectMails: (evidence = {}, maxDuplicates = 0) =>
      expectNothingLost(
        {
          database: fixture.database,
          accepted,
          receipts: listMailReceipts(fixture.sink.received),
          kinds: ['follow-up'],
          ...evidence,
        },
        maxDuplicates,
      ),
  };
}
