import fastifyPlugin from 'fastify-plugin';
import { proofHeader } from '../../shared/contact/spam-signals.ts';
import { apiPaths } from '../../shared/paths.ts';
import { Minute } from '../../shared/time.ts';
import { acceptJsonOnly } from '../http/request-body.ts';
import { refuseOverLimit, type RateLimiter } from '../rate-limits/rate-limiter.ts';
import { countAccepted, countRefusals } from './count-submissions.ts';
import { readContactRequest, submitContactRequest, type SubmissionServices } from './submit-contact-request.ts';

/** How many challenges one client gets: more than a person who fills in forms ever asks for. */
export const challengeRate = { name: 'challenge-client', count: 30, windowMs: 10 * Minute };

interface ContactApiOptions {
  readonly submissions: SubmissionServices;
  readonly challengeLimiter: RateLimiter;
}

/**
 * `POST /api/contact-submissions`: JSON only; and `GET /api/contact-challenge`, which the form calls
 * where its request is suspected spam.
 */
export const contactApi = fastifyPlugin<ContactApiOptions>(
  async (app, { submissions, challengeLimiter }) => {
    acceptJsonOnly(app);
    countRefusals(app, submissions, 'json');

    app.get(apiPaths.contactChallenge, async (request, reply) => {
      reply.header('cache-control', 'no-store');
      refuseOverLimit(await challengeLimiter.consume(request.ip));

      return submissions.proofOfWork.makeChallenge();
    });

    app.post(apiPaths.contactSubmissions, { config: { isBounded: true } }, async (request, reply) => {
      const origin = { reqId: request.id, client: request.ip, isPlainForm: false };
      const response = await submitContactRequest(submissions, readContactRequest(request.body), origin);
      countAccepted(submissions, 'json', response);
      if (response.wantsProof) reply.header(proofHeader, 'wanted');

      return reply
        .code(response.isNew ? 201 : 200)
        .header('cache-control', 'no-store')
        .send({ id: response.id });
    });
  },
  { name: 'contact-api', encapsulate: true, dependencies: ['error-handler', 'request-guard'] },
);
