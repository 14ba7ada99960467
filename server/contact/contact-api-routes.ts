import type { FastifyInstance } from 'fastify';
import { apiPaths } from '../../shared/paths.ts';
import { acceptJsonOnly } from '../http/request-body.ts';
import { countAccepted, countRefusals } from './count-submissions.ts';
import { readContactRequest, submitContactRequest, type SubmissionServices } from './submit-contact-request.ts';

interface ContactApiOptions {
  readonly submissions: SubmissionServices;
}

/** `POST /api/contact-submissions`: JSON only. */
export async function contactApi(app: FastifyInstance, { submissions }: ContactApiOptions): Promise<void> {
  acceptJsonOnly(app);
  countRefusals(app, submissions, 'json');

  app.post(apiPaths.contactSubmissions, async (request, reply) => {
    const origin = { reqId: request.id, client: request.ip, isPlainForm: false };
    const response = await submitContactRequest(submissions, readContactRequest(request.body), origin);
    countAccepted(submissions, 'json', response);

    return reply
      .code(response.isNew ? 201 : 200)
      .header('cache-control', 'no-store')
      .send({ id: response.id });
  });
}
