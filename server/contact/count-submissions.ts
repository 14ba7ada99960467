import type { FastifyInstance } from 'fastify';
import type {
  SubmissionChannel,
  SubmissionMetrics,
  SubmissionResult,
} from '../../shared/node/monitoring/site-metrics.ts';
import type { SubmissionResponse } from './submit-contact-request.ts';

interface Counting {
  /** Undefined: nothing is counted. */
  readonly metrics?: SubmissionMetrics;
}

/** What a status says of a request that wasn't taken. */
const refusals: Readonly<Record<number, SubmissionResult>> = {
  400: 'invalid',
  409: 'conflict',
  413: 'invalid',
  415: 'invalid',
  422: 'invalid',
  429: 'rate_limited',
  503: 'unavailable',
};

/** Counts the requests that come in by `door` and are refused, by the status of the answer. */
export function countRefusals(
  app: FastifyInstance,
  { metrics }: Counting,
  door: SubmissionChannel,
): void {
  app.addHook('onResponse', async (request, reply) => {
    const result = refusals[reply.statusCode];
    if (result && request.method === 'POST') metrics?.countSubmission(door, result);
  });
}

/** Counts a request that was taken. */
export function countResponse(
  { metrics }: Counting,
  door: SubmissionChannel,
  { isNew, isQuarantined }: SubmissionResponse,
): void {
  const result = isQuarantined ? 'quarantined' : 'accepted';
  metrics?.countSubmission(door, isNew ? result : 'repeated');
}
