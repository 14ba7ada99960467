import { expect, onTestFinished } from 'vitest';
import type { CrmProvider, CrmRecord } from '../../../shared/node/crm/crm-provider.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import { createOutboundClient, type OutboundClient } from '../../../shared/node/outbound/outbound-client.ts';
import { makeSampleLead } from './sample-lead.ts';

/** Parts of the sample lead that no error may contain. */
const PERSONAL = ['ada', 'lovelace', 'example.org', 'sweets', '234 567', 'factory', 'searching'];

/** A real client that is allowed to call this machine. It is closed when the test ends. */
export function openClient(): OutboundClient {
  const client = createOutboundClient(['127.0.0.1']);
  onTestFinished(client.close);

  return client;
}

/** Returns a failed attempt's error, which must not contain personal data. */
async function catchFailure(attempt: Promise<unknown>): Promise<DeliveryError> {
  const failure = await attempt.then(
    () => expect.unreachable('The attempt should have failed.'),
    (error: unknown) => error,
  );
  if (!(failure instanceof DeliveryError)) throw failure;
  const message = `${failure.message} ${failure.reason}`.toLowerCase();
  expect(PERSONAL.filter((part) => message.includes(part))).toEqual([]);

  return failure;
}

/** Makes a delivery for a lead. It keeps the completed steps between attempts, as the database does. */
export function makeDelivery({ provider }: { readonly provider: CrmProvider }, record: CrmRecord = makeSampleLead()) {
  const steps = new Map<string, string>();
  const tryExport = (attempt: number) =>
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
      signal: new AbortController().signal,
    });

  return {
    steps,
    tryExport,
    failExport: (attempt: number) => catchFailure(tryExport(attempt)),
  };
}
