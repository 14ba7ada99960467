import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  contactFieldNames,
  contactMessages,
  type TypedContactFields,
} from '../../shared/contact/contact-schema.ts';
import { parseContactRequest } from '../../shared/contact/contact-request.ts';
import { honeypotName } from '../../shared/contact/spam-signals.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import type { FieldErrors } from '../../shared/problem.ts';
import { AppError } from '../http/errors.ts';
import type { RenderFailedPost } from '../pages/failed-post-pages.ts';
import { countResponse, countRefusals } from './count-submissions.ts';
import { submitContactRequest, type SubmissionServices } from './submit-contact-request.ts';

/** What the form shows again; a field sent twice or not at all shows nothing. */
function readTypedFields(body: unknown): TypedContactFields {
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const typed = new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

  return Object.fromEntries(
    contactFieldNames.map((name) => [name, typed.get(name) ?? '']),
  ) as TypedContactFields;
}

/** A plain form has one signal: the field that no person sees. */
function readFormRequest(body: unknown) {
  const fields = Object(body) as Readonly<Record<string, unknown>>;

  return parseContactRequest({ ...fields, spam: { honeypot: fields[honeypotName] } });
}

/** The states in which the visitor gets the form back, typed text and all. */
const statesWithForm: ReadonlySet<string> = new Set(['rate-limited', 'unavailable', 'id-conflict']);

export interface ContactFormServices {
  readonly services: SubmissionServices;
  readonly renderFailedPost: RenderFailedPost;
}

/** `POST /contact`: the form without JavaScript. */
export async function registerContactForm(
  app: FastifyInstance,
  { services, renderFailedPost }: ContactFormServices,
): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formBody);
  countRefusals(app, services, 'form');

  const renderForm = (request: FastifyRequest, errors: FieldErrors, banner?: string) =>
    renderFailedPost(request, routePatterns.contact, {
      contactFormResult: {
        values: readTypedFields(request.body),
        errors,
        ...(banner === undefined ? {} : { banner }),
      },
    });

  app.post(routePatterns.contact, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const reading = readFormRequest(request.body);
    if (!reading.ok) {
      const html = await renderForm(request, reading.errors);

      return reply.code(422).type('text/html; charset=utf-8').send(html);
    }

    try {
      const origin = { client: request.ip, isPlainForm: reading.value.id === null };
      const answer = await submitContactRequest(services, reading.value, origin);
      countResponse(services, 'form', answer);

      return await reply.redirect(pathTo.contact({ sent: true }), 303);
    } catch (error) {
      if (!(error instanceof AppError) || !statesWithForm.has(error.code)) throw error;
      if (error.retryAfterSeconds !== undefined) {
        reply.header('retry-after', error.retryAfterSeconds);
      }
      const html = await renderForm(request, {}, contactMessages.serverError + error.detail);

      return reply.code(error.status).type('text/html; charset=utf-8').send(html);
    }
  });
}
