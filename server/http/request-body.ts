import { finished } from 'node:stream';
import formBody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { MAX_BODY_BYTES } from '../../shared/contact/contact-schema.ts';

/** Maximum size of a refused body that is still read, in bytes. It exceeds the proxy's own limit. */
const MAX_REFUSED_BYTES = 2 * MAX_BODY_BYTES;

/**
 * Delays each response until the request's body has arrived. Otherwise, a proxy that is still sending it would report a
 * failure (502, `tests/integration/proxy.test.ts`). A body without a length or beyond the proxy's limit is not awaited.
 */
export function waitForBodies(app: FastifyInstance): void {
  app.addHook('onSend', ({ headers, raw }, _reply, _payload, done) => {
    const bytes = Number(headers['content-length'] ?? 0);
    // A read error doesn't matter, because a disconnected client needs no response.
    if (bytes > 0 && bytes <= MAX_REFUSED_BYTES) finished(raw.resume(), () => done());
    else done();
  });
}

/** Lets a scope accept JSON only. Other content types get 415. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain');
}

/** Lets a scope accept JSON or an empty body, even if the empty body's type is JSON. */
export function acceptEmptyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  acceptJsonOnly(app);
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parseJson(request, String(body), done);
  });
}

/** Lets a scope accept URL-encoded forms only. Other content types get 415. */
export async function acceptFormsOnly(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formBody);
}

/** Returns a text field of a parsed body. Undefined if it is missing, repeated or not text. */
export function readTextField(body: unknown, name: string): string | undefined {
  const value: unknown =
    typeof body === 'object' && body !== null && Object.hasOwn(body, name)
      ? (body as Readonly<Record<string, unknown>>)[name]
      : undefined;

  return typeof value === 'string' ? value : undefined;
}
