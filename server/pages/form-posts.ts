import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { Minute } from '../../shared/time.ts';
import { AppError, type ErrorCode } from '../http/errors.ts';
import { createClientLimits, type ClientLimits } from '../http/rate-limits.ts';
import { HTML_TYPE, type PageRenderer } from './page-renderer.ts';

/** Limits on pages rendered to show a form's errors. Real visitors stay far below them. */
const perClient = { name: 'form-error', count: 60, windowMs: 10 * Minute };
const perNetwork = { name: 'form-error-network', count: 180, windowMs: 10 * Minute };

/** Creates the limit that all page forms share. */
export const createFormErrorLimit = (redis: Redis | undefined) => createClientLimits(redis, perClient, perNetwork);

export interface FormPostServices {
  readonly pages: PageRenderer;
  readonly countFormError: ClientLimits;
}

interface FormPost {
  readonly path: string;
  /** Maximum body size in bytes. Default: the application's limit. */
  readonly bodyLimit?: number;
  readonly setHeaders: (reply: FastifyReply) => void;
  /** Processes the form and returns where to redirect. @throws AppError */
  readonly submit: (request: FastifyRequest, reply: FastifyReply) => Promise<string>;
  readonly shownErrors: readonly ErrorCode[];
  /** Renders the form with the typed values and the error. */
  readonly render: (request: FastifyRequest, error: AppError) => string | Promise<string>;
}

/** Returns the documented status: 422 for invalid fields (the JSON call returns 400). */
const getFormStatus = ({ code, status }: AppError) => (code === 'invalid-fields' ? 422 : status);

/** Routes a form's POST requests. Redirects (303) or, up to a limit, returns the page with the values and error. */
export function routeFormPost(app: FastifyInstance, countFormError: ClientLimits, form: FormPost): void {
  const options = form.bodyLimit === undefined ? {} : { bodyLimit: form.bodyLimit };

  app.post(form.path, options, async (request, reply) => {
    form.setHeaders(reply);
    try {
      return await reply.redirect(await form.submit(request, reply), 303);
    } catch (error) {
      if (!(error instanceof AppError) || !form.shownErrors.includes(error.code)) throw error;
      await countFormError(request.ip);
      const html = await form.render(request, error);
      if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);

      return reply.code(getFormStatus(error)).type(HTML_TYPE).send(html);
    }
  });
}
