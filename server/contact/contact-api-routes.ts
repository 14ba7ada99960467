import type { FastifyInstance } from 'fastify';
import { parseContactRequest } from '../../shared/contact/contact-request.ts';
import { proofHeader } from '../../shared/contact/spam-signals.ts';
import { apiPaths } from '../../shared/paths.ts';
import { Minute } from '../../shared/time.ts';
import { AppError, makeRateLimitError } from '../http/errors.ts';
import type { RateLimiter } from '../rate-limits/rate-limiter.ts';
import { countResponse, countRefusals } from './count-submissions.ts';
import { submitContactRequest, type SubmissionServices } from './submit-contact-request.ts';

/** How many challenges one client gets: more than a person who fills in forms ever asks for. */
export const challengeRate = { name: 'challenge-client', count: 30, windowMs: 10 * Minute };

export interface ContactApiOptions {
  readonly services: SubmissionServices;
  readonly challengeLimiter: RateLimiter;
}

/**
 * `POST /api/contact-submissions`: JSON only; and `GET /api/contact-challenge`, which the form asks
 * for where its request looks doubtful.
 */
export async function registerContactApi(
  app: FastifyInstance,
  { services, challengeLimiter }: ContactApiOptions,
): Promise<void> {
  app.removeContentTypeParser('text/plain');
  countRefusals(app, services, 'json');

  app.get(apiPaths.contactChallenge, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const { excess, waitSeconds } = await challengeLimiter.take(request.ip);
    if (excess > 0) throw makeRateLimitError(waitSeconds);

    return services.proofOfWork.makeChallenge();
  });

  app.post(apiPaths.contactSubmissions, async (request, reply) => {
    const reading = parseContactRequest(request.body);
    if (!reading.ok) {
      throw new AppError('invalid-fields', 'Please check the fields that are marked.', {
        errors: reading.errors,
      });
    }

    const answer = await submitContactRequest(services, reading.value, {
      client: request.ip,
      isPlainForm: false,
    });
    countResponse(services, 'json', answer);
    if (answer.wantsProof) reply.header(proofHeader, 'wanted');

    return reply
      .code(answer.isNew ? 201 : 200)
      .header('cache-control', 'no-store')
      .send({ id: answer.id });
  });
}
