import type { FastifyInstance } from 'fastify';
import { parseNewsletterRequest } from '../../shared/newsletter/newsletter-request.ts';
import { apiPaths } from '../../shared/paths.ts';
import { AppError } from '../http/errors.ts';
import { acceptSubscription, type NewsletterServices } from './accept-subscription.ts';

/** `POST /api/newsletter-subscriptions`: JSON only. */
export async function registerNewsletterApi(
  app: FastifyInstance,
  services: NewsletterServices,
): Promise<void> {
  app.removeContentTypeParser('text/plain');

  app.post(apiPaths.newsletterSubscriptions, async (request, reply) => {
    const reading = parseNewsletterRequest(request.body);
    if (!reading.ok) {
      throw new AppError('invalid-fields', 'Please check the email address.', {
        errors: reading.errors,
      });
    }
    await acceptSubscription(services, reading.value, request.ip);

    return reply.code(202).header('cache-control', 'no-store').send({});
  });
}
