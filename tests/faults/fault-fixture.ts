import { makeClient, makeStrangersBody, postContact } from '../support/contact-request.ts';
import { setUpDeliveries, type DeliveryFixture } from '../support/delivery-fixture.ts';
import type { Environment } from '../support/site-process.ts';
import { expectNothingLost, listMailReceipts, type Evidence } from './reconcile.ts';

export interface FaultFixture extends DeliveryFixture {
  /** Posts a request as a new client and remembers it if the response was successful. */
  readonly submit: (origin: string, body?: { readonly id: string }) => Promise<Response>;
  readonly accepted: readonly string[];
  /** Reconciles the mails; see `expectNothingLost`. */
  readonly expectMails: (
    evidence?: Partial<Evidence>,
    maxDuplicates?: number,
  ) => Promise<void>;
}

/** One mail per request is sent at once, the others are due long after the test, and the export lacks a provider. */
export const oneMail = {
  FOLLOW_UP_REMINDER_AFTER: '1h',
  FOLLOW_UP_AFTER: '2h',
  CRM_PROVIDER: 'none',
} as const;

/** A lease and a timeout that are long enough for a busy machine, in milliseconds. */
export const longTimeoutWorker = { WORKER_TIMINGS: JSON.stringify({ lease: 20_000, attempt: 15_000 }) } as const;

/** Sets up real servers for one fault, and records the accepted requests to reconcile them later. */
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
