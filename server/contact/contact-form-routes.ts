import type { FastifyInstance } from 'fastify';
import { contactMessages, mapContactFields, type TypedContactFields } from '../../shared/contact/contact-schema.ts';
import { honeypotName } from '../../shared/contact/spam-signals.ts';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';
import { Minute } from '../../shared/time.ts';
import { acceptFormsOnly, readTextField } from '../http/request-body.ts';
import { routeFormPost, type CountFailedPost } from '../pages/form-posts.ts';
import { createClientLimits } from '../rate-limits/client-limits.ts';
import { countAccepted, countRefusals } from './count-submissions.ts';
import { renderRefusedForm } from './refused-form-page.ts';
import { readContactRequest, submitContactRequest, type SubmissionServices } from './submit-contact-request.ts';

/** What the form shows again; a field sent twice or not at all shows nothing. */
function readTypedFields(body: unknown): TypedContactFields {
  return mapContactFields((name) => readTextField(body, name) ?? '');
}

/** A plain form has one signal: the field that no person sees, also when it is sent twice. */
function readFormRequest(body: unknown) {
  const fields = Object(body) as Readonly<Record<string, unknown>>;

  return readContactRequest({ ...fields, spam: { honeypot: fields[honeypotName] } });
}

/**
 * How often a client gets its refused form again: more than any person fails. A long message makes the page larger than
 * the proxy's buffer, and a client that doesn't read it holds one of the form's 300 places there. Four networks must not
 * fill them within two windows, nor while Redis is away and this process counts anew, up to half (decision 020).
 */
const perClient = { name: 'refused-form', count: 12, windowMs: 10 * Minute };
const perNetwork = { name: 'refused-form-network', count: 24, windowMs: 10 * Minute };

/** Creates the counter of refused forms. */
export const createRefusedFormCounter = (redis: Redis | undefined): CountFailedPost =>
  createClientLimits(redis, perClient, perNetwork).consume;

interface ContactFormOptions {
  readonly site: Site;
  readonly submissions: SubmissionServices;
  readonly countRefusedForm: CountFailedPost;
}

/** `POST /contact`: the form without JavaScript. */
export async function contactForm(app: FastifyInstance, { site, submissions, countRefusedForm }: ContactFormOptions): Promise<void> {
  await acceptFormsOnly(app);
  countRefusals(app, submissions, 'form');

  routeFormPost(app, countRefusedForm, {
    path: routePatterns.contact,
    setHeaders: (reply) => void reply.header('cache-control', 'no-store'),
    submit: async (request) => {
      const contactRequest = readFormRequest(request.body);
      const origin = { reqId: request.id, client: request.ip, isPlainForm: contactRequest.id === null };
      countAccepted(submissions, 'form', await submitContactRequest(submissions, contactRequest, origin));

      return pathTo.contact({ sent: true });
    },
    shownErrors: ['invalid-fields', 'rate-limited', 'unavailable', 'id-conflict'],
    render: (request, { errors, detail }) =>
      renderRefusedForm(site, {
        values: readTypedFields(request.body),
        errors: errors ?? {},
        banner: errors ? undefined : contactMessages.serverError + detail,
      }),
  });
}
