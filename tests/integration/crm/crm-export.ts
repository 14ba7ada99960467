import { expect, onTestFinished } from 'vitest';
import type { CrmProvider, CrmRecord } from '../../../shared/node/crm/crm-provider.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import { createOutboundClient, type OutboundClient } from '../../../shared/node/outbound/outbound-client.ts';

/** Parts of the lead that no error may repeat. */
const PERSONAL = ['ada', 'lovelace', 'example.org', 'sweets', '234 567', 'factory', 'searching'];

/** A real client that may call this machine. It is closed when the test ends. */
export function openClient(): OutboundClient {
  const client = createOutboundClient(['127.0.0.1']);
  onTestFinished(client.close);

  return client;
}

/** Returns the error of a failed try. Expects it to contain no personal data. */
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

/** One delivery of one lead. Its completed steps are stored between its tries, as in the database. */
export function makeDelivery(provider: CrmProvider, record: CrmRecord) {
  const steps = new Map<string, string>();
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
      withAdvisoryLock: (_key, work) => work(),
      signal,
    });

  return {
    steps,
    tryIt,
    fail: (attempt: number, signal?: AbortSignal) => catchFailure(tryIt(attempt, signal)),
  };
}
