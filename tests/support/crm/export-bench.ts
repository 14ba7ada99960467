import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { CrmProvider, CrmRecord, ExportContext } from '../../../jobs/crm-export/crm-provider.ts';
import { DeliveryError } from '../../../jobs/deliveries/delivery-error.ts';
import { createOutboundClient, type OutboundClient } from '../../../jobs/outbound/outbound-client.ts';

/** A client that may call the fake servers; closed with the test. */
export function openClient(): OutboundClient {
  const client = createOutboundClient(['127.0.0.1']);
  onTestFinished(client.close);

  return client;
}

/** A lead whose values show where they end up and whether they are escaped. */
export function makeLead(changes: Partial<CrmRecord> = {}): CrmRecord {
  return {
    submission_id: '0198b7f0-6a3c-4c1e-9d52-3f0a6c1d2e4b',
    name: 'Ada Example',
    email: 'Ada@Example.org',
    company: 'Sweets & <Sons>',
    phone: '+1 555 0100',
    industry: 'retail-ecommerce',
    industry_label: 'Retail & E-commerce',
    message: 'Line one\nline <b>two</b> & "more"',
    submitted_at: '2026-11-03T09:00:00.000Z',
    received_at: '2026-11-03T09:00:01.000Z',
    source: {
      utm_source: 'newsletter',
      utm_medium: 'mail',
      utm_campaign: 'autumn',
      referrer: 'search.example',
      landing_path: '/insights/ai-trends-2024',
    },
    ...changes,
  };
}

/** The tries of one delivery: what its steps made is remembered from one to the next. */
export interface Tries {
  readonly steps: ReadonlyMap<string, string>;
  /** Exports once more; `lost` forgets the steps of earlier tries, as when a worker was killed. */
  readonly next: (options?: { ms?: number; lost?: boolean }) => Promise<string | null>;
}

/** Longest time of a try in tests, in milliseconds, unless they say otherwise. */
const PATIENCE = 10_000;

export function startTries(provider: CrmProvider, record: CrmRecord): Tries {
  const steps = new Map<string, string>();
  let attempt = 0;

  return {
    steps,
    next: ({ ms = PATIENCE, lost = false } = {}) => {
      attempt += 1;
      if (lost) steps.clear();
      const context: ExportContext = {
        deliveryId: '0198b7f0-6a3c-7c1e-9d52-000000000001',
        attempt,
        steps: {
          get: (step) => steps.get(step),
          record: async (step, remoteId) => {
            await wait(0);
            steps.set(step, remoteId);
          },
        },
        signal: AbortSignal.timeout(ms),
      };

      return provider.exportRecord(record, context);
    },
  };
}

/** The error of a try that must fail; it repeats nothing of the lead. */
export async function catchFailure(
  attempt: Promise<unknown>,
  record: CrmRecord = makeLead(),
): Promise<DeliveryError> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DeliveryError)) throw new Error('No DeliveryError came.', { cause: error });
  const told = `${error.message} ${error.reason} ${String(error.cause)}`.toLowerCase();
  for (const secret of [record.name, record.email, record.company, record.phone, record.message]) {
    expect(told).not.toContain(secret?.toLowerCase());
  }

  return error;
}
