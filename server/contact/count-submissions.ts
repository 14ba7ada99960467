import type { FastifyInstance } from 'fastify';
import type { SubmissionChannel, SubmissionResult } from '../../shared/node/monitoring/site-metrics.ts';
import type { SubmissionResponse, SubmissionServices } from './submit-contact-request.ts';

type CountingServices = Pick<SubmissionServices, 'metrics'>;

/** What the status of a response says about a request that wasn't accepted. */
const refusals: Readonly<Record<number, SubmissionResult>> = {
  400: 'invalid',
  409: 'conflict',
  413: 'invalid',
  415: 'invalid',
  422: 'invalid',
  429: 'rate_limited',
  503: 'unavailable',
};

/** Counts the refused requests of a channel by the status of their response. */
export function countRefusals(
  app: FastifyInstance,
  { metrics }: CountingServices,
  channel: SubmissionChannel,
): void {
  app.addHook('onResponse', async (request, reply) => {
    const result = refusals[reply.statusCode];
    if (result && request.method === 'POST') metrics.countSubmission(channel, result);
  });
}

/** Counts an accepted request. */
export function countAccepted(
  { metrics }: CountingServices,
  channel: SubmissionChannel,
  { isNew, isQuarantined }: SubmissionResponse,
): void {
  const result = isQuarantined ? 'quarantined' : 'accepted';
  metrics.countSubmission(channel, isNew ? result : 'repeated');
}
