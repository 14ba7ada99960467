import type { FastifyInstance } from 'fastify';
import { readContactRequest } from '../../shared/contact/contact-request.ts';
import { apiPaths } from '../../shared/paths.ts';
import { AppError } from '../errors.ts';
import { countAnswer, countRefusals } from './count-submissions.ts';
import { submitContactRequest, type SubmissionServices } from './submit-contact-request.ts';

/** `POST /api/contact-submissions`: JSON only. */
export async function registerContactApi(
  app: FastifyInstance,
  services: SubmissionServices,
): Promise<void> {
  app.removeContentTypeParser('text/plain');
  countRefusals(app, services, 'json');

  app.post(apiPaths.contactSubmissions, async (request, reply) => {
    const reading = readContactRequest(request.body);
    if (!reading.ok) {
      throw new AppError('invalid-fields', 'Please check the fields that are marked.', {
        errors: reading.errors,
      });
    }

    const answer = await submitContactRequest(services, reading.value, {
      client: request.ip,
      isPlainForm: false,
    });
    countAnswer(services, 'json', answer);

    return reply
      .code(answer.isNew ? 201 : 200)
      .header('cache-control', 'no-store')
      .send({ id: answer.id });
  });
}
