import { readLinkToken, TRIAL_AGE } from '../../shared/node/mail/signed-action-link.ts';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { AppError } from '../http/errors.ts';
import { createRateLimiter, createClientLimits } from '../http/rate-limits.ts';
import type { FastifyInstance } from 'fastify';
import { contactMessages, mapContactFields } from '../../shared/contact/contact-schema.ts';
import { honeypotName } from '../../shared/contact/spam-signals.ts';
import type { SubmissionChannel, SubmissionResult } from '../../shared/node/monitoring/site-metrics.ts';
import { apiPaths, pathTo, routePatterns } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';
import { Minute } from '../../shared/time.ts';
import { acceptFormsOnly, acceptJsonOnly, readTextField } from '../http/request-body.ts';
import { routeFormPost } from '../pages/form-posts.ts';
import { renderRefusedForm } from './refused-form-page.ts';
import { submitContactRequest, processTrialRequest, type SubmissionServices } from './submit-contact-request.ts';

/** Returns a function that accepts a trial request's token once. It throws AppError if the token is forged, expired or used. */
export function createTrialTokens(redis: Redis | undefined, secrets: readonly string[]) {
  const countUse = createRateLimiter(redis, { name: 'trial', count: 1, windowMs: TRIAL_AGE, getKey: (id) => id });

  return async (token: unknown): Promise<void> => {
    const id = typeof token === 'string' ? readLinkToken('trial', token, secrets) : undefined;
    if (id !== undefined && !(await countUse(id)).isOverLimit) return;
    throw new AppError('invalid-fields', 'Please check the fields that are marked.', {
      errors: { trial: 'This token is not valid.' },
    });
  };
}

/** The metric's result for a refused request, by response status. */
const refusals: Readonly<Record<number, SubmissionResult>> = {
  400: 'invalid',
  409: 'conflict',
  413: 'invalid',
  415: 'invalid',
  422: 'invalid',
  429: 'rate_limited',
  503: 'unavailable',
};

/** Returns the token of a trial request. Undefined for other bodies. */
const readTrialToken = (body: unknown): unknown => (Object(body) as { readonly trial?: unknown }).trial;

function countRefusals(app: FastifyInstance, { metrics }: SubmissionServices, channel: SubmissionChannel): void {
  app.addHook('onResponse', async ({ body }, reply) => {
    const result = refusals[reply.statusCode];
    if (result && readTrialToken(body) === undefined) metrics.countSubmission(channel, result);
  });
}

interface ContactApiServices extends SubmissionServices {
  readonly acceptTrialToken: ReturnType<typeof createTrialTokens>;
}

/** Routes `POST /api/contact-submissions`, which accepts only JSON. */
export async function contactApi(app: FastifyInstance, services: ContactApiServices): Promise<void> {
  acceptJsonOnly(app);
  countRefusals(app, services, 'json');

  app.post(apiPaths.contactSubmissions, async ({ id: reqId, ip, body }, reply) => {
    reply.header('cache-control', 'no-store');
    const trial = readTrialToken(body);
    if (trial !== undefined) {
      await services.acceptTrialToken(trial);
      await processTrialRequest(services, body, ip);

      return reply.code(204).send();
    }
    const { id, isNew } = await submitContactRequest(services, body, { reqId, client: ip, channel: 'json' });

    return reply.code(isNew ? 201 : 200).send({ id });
  });
}

/**
 * Limits on refused forms, well above what anyone needs. A client that doesn't read a long response ties up one of the
 * proxy's 300 slots for forms, and a few networks must not be able to fill them all (decision 019).
 */
const perClient = { name: 'refused-form', count: 12, windowMs: 10 * Minute };
const perNetwork = { name: 'refused-form-network', count: 24, windowMs: 10 * Minute };

interface ContactFormOptions {
  readonly site: Site;
  readonly submissions: SubmissionServices;
  readonly redis: Redis | undefined;
}

/** Routes `POST /contact`, the form without JavaScript. */
export async function contactForm(
  app: FastifyInstance,
  { site, submissions, redis }: ContactFormOptions,
): Promise<void> {
  await acceptFormsOnly(app);
  countRefusals(app, submissions, 'form');

  routeFormPost(app, createClientLimits(redis, perClient, perNetwork), {
    path: routePatterns.contact,
    setHeaders: (reply) => void reply.header('cache-control', 'no-store'),
    submit: async ({ id: reqId, ip, body }) => {
      const fields = Object(body) as Readonly<Record<string, unknown>>;
      // For a plain form the only spam signal is the honeypot field, which counts even if it is sent twice.
      const request = { ...fields, spam: { honeypot: fields[honeypotName] } };
      await submitContactRequest(submissions, request, { reqId, client: ip, channel: 'form' });

      return pathTo.contact({ sent: true });
    },
    shownErrors: ['invalid-fields', 'rate-limited', 'unavailable', 'id-conflict'],
    render: ({ body }, { errors, detail }) =>
      renderRefusedForm(site, {
        // A missing or repeated field is shown as empty.
        values: mapContactFields((name) => readTextField(body, name) ?? ''),
        errors: errors ?? {},
        banner: errors ? undefined : contactMessages.serverError + detail,
      }),
  });
}
