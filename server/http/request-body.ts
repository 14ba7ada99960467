import { finished } from 'node:stream';
import formBody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { MAX_BODY_BYTES } from '../../shared/contact/contact-schema.ts';

/** Maximum size of a refused body that is still read, in bytes. It exceeds the proxy's own limit. */
const MAX_REFUSED_BYTES = 2 * MAX_BODY_BYTES;

/**
 * Delays each response until the request's body has arrived. Otherwise, a proxy that is still sending it would report a
 * failure (502, `tests/integration/proxy.test.ts`). Bodies of unknown or excessive length cause no delay.
 */
export function waitForBodies(app: FastifyInstance): void {
  app.addHook('onSend', ({ headers, raw }, _reply, _payload, done) => {
    const bytes = Number(headers['content-length'] ?? 0);
    // A read error doesn't matter, because a disconnected client needs no response.
    if (bytes > 0 && bytes <= MAX_REFUSED_BYTES) finished(raw.resume(), () => done());
    else done();
  });
}

/** Makes a scope accept only JSON. Other content types get 415. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain');
}

/** Makes a scope accept only JSON or an empty body, even one declared as JSON. */
export function acceptEmptyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  acceptJsonOnly(app);
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parseJson(request, String(body), done);
  });
}

/** Makes a scope accept only URL-encoded forms. Other content types get 415. */
export async function acceptFormsOnly(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formBody);
}

/** Returns a text field from a parsed body. Undefined if it is missing, repeated or not text. */
export function readTextField(body: unknown, name: string): string | undefined {
  const value: unknown =
    typeof body === 'object' && body !== null && Object.hasOwn(body, name)
      ? (body as Readonly<Record<string, unknown>>)[name]
      : undefined;

  return typeof value === 'string' ? value : undefined;
}
