import { expect, onTestFinished } from 'vitest';
import type { CrmCheckResult, CrmProvider, CrmRecord } from '../../../shared/node/crm/crm-provider.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import { createOutboundClient, type OutboundClient } from '../../../shared/node/outbound/outbound-client.ts';
import { waitFor } from '../wait-for.ts';
import type { CrmFault } from './fake-crm.ts';

/** Parts of the lead that no error may repeat. */
const PERSONAL = ['ada', 'lovelace', 'example.org', 'sweets', '555 0100', 'factory', 'searching'];

/** Longest time in which a response that never ends is read, in milliseconds. */
const MOMENT = 300;

/** A lead with every field, whose values need escaping. */
export function makeCrmRecord(changes: Partial<CrmRecord> = {}): CrmRecord {
  return {
    submission_id: '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b',
    name: 'Ada King Lovelace',
    email: 'Ada@Example.org',
    company: 'Sweets & Sons',
    phone: '+1 555 0100',
    industry: 'retail-ecommerce',
    industry_label: 'Retail & E-commerce',
    message: 'Our factory is <slow>.\nCan you "help"?',
    submitted_at: '2025-11-03T09:00:00.000Z',
    received_at: '2025-11-03T09:00:01.000Z',
    source: { utm_source: 'news<letter>', referrer: 'searching.example', landing_path: '/education' },
    ...changes,
  };
}

/** A lead with every part of a source that is mapped, of a company whose name looks like markup. */
export function makeSourcedRecord(changes: Partial<CrmRecord> = {}): CrmRecord {
  const source = {
    utm_source: 'newsletter',
    utm_medium: 'mail',
    utm_campaign: 'autumn',
    referrer: 'searching.example',
    landing_path: '/education',
  };

  return makeCrmRecord({ company: 'Sweets & <Sons>', source, ...changes });
}

/** A real client that may call this machine, closed when the test ends. */
export function openClient(): OutboundClient {
  const client = createOutboundClient(['127.0.0.1']);
  onTestFinished(client.close);

  return client;
}

/** Returns the error of a failed try; checks that it has no personal data. */
async function catchFailure(attempt: Promise<unknown>): Promise<DeliveryError> {
  const failure = await attempt.then(
    () => expect.unreachable('The try should have failed.'),
    (error: unknown) => error,
  );
  if (!(failure instanceof DeliveryError)) throw failure;
  const message = `${failure.message} ${failure.reason}`.toLowerCase();
  expect(PERSONAL.filter((part) => message.includes(part))).toEqual([]);

  return failure;
}

/** One delivery of one lead, whose completed steps are stored between its tries as the database does. */
export function makeDelivery(provider: CrmProvider, record: CrmRecord = makeCrmRecord()) {
  const steps = new Map<string, string>();
  let lastFailure: string | null = null;
  const tryIt = (attempt: number, signal = new AbortController().signal) =>
    provider.exportRecord(record, {
      deliveryId: '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4c',
      attempt,
      steps: {
        get: (step) => steps.get(step),
        record: async (step, remoteId) => {
          steps.set(step, remoteId);
        },
      },
      lastFailure,
      withAdvisoryLock: (_key, work) => work(),
      signal,
    });
  const fail = async (attempt: Promise<unknown>) => {
    const failure = await catchFailure(attempt);
    lastFailure = failure.reason;

    return failure;
  };

  return {
    steps,
    tryIt,
    fail: (attempt: number, signal?: AbortSignal) => fail(tryIt(attempt, signal)),
    /** A try that times out as soon as the CRM has got so far. */
    failOnce: async (attempt: number, what: string, hasCome: () => boolean) => {
      const stop = new AbortController();
      const failure = fail(tryIt(attempt, stop.signal));
      await waitFor(what, hasCome);
      stop.abort();

      return failure;
    },
    /**
     * A try that times out once its response could have come: a moment after the fault, which on a busy machine
     * comes late.
     */
    failByTimeout: async (attempt: number, faults: readonly CrmFault[]) => {
      const stop = new AbortController();
      const failure = fail(tryIt(attempt, stop.signal));
      await waitFor('the fault', () => faults.length === 0);
      setTimeout(() => stop.abort(), MOMENT);

      return failure;
    },
  };
}

/** A fault that responds with this JSON. */
export const respondWith = (
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): CrmFault => ({ kind: 'response', status, body: JSON.stringify(body), headers });

/** Expects the last check of a provider's test, and it alone, to fail with these words, and no result to repeat a secret. */
export function expectOneFailure(
  results: readonly CrmCheckResult[],
  { check, words, secret }: { readonly check: string; readonly words: string; readonly secret: RegExp },
): void {
  expect(results.at(-1)).toMatchObject({ check, state: 'fail', detail: expect.stringContaining(words) as string });
  expect(results.filter(({ state }) => state !== 'ok')).toHaveLength(1);
  expect(JSON.stringify(results)).not.toMatch(secret);
}
