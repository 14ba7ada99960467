import { finished } from 'node:stream';
import formBody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { MAX_BODY_BYTES } from '../../shared/contact/contact-schema.ts';

/** Bytes of a refused body that are read nevertheless: more than the proxy passes on. */
const MAX_REFUSED_BYTES = 2 * MAX_BODY_BYTES;

/**
 * Responds only once a request's body has arrived: a proxy that is still writing would take the close for a failure
 * (502, `tests/integration/proxy.test.ts`). A body without length or beyond the proxy's limit is not awaited.
 */
export function waitForBodies(app: FastifyInstance): void {
  app.addHook('onSend', ({ headers, raw }, _reply, _payload, done) => {
    const bytes = Number(headers['content-length'] ?? 0);
    // However it ends: a client that is gone needs no response.
    if (bytes > 0 && bytes <= MAX_REFUSED_BYTES) finished(raw.resume(), () => done());
    else done();
  });
}

/** Makes a scope read JSON only; every other content type gets 415. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain');
}

/** Makes a scope read JSON or no body at all, also of clients that call an empty body JSON. */
export function acceptEmptyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  acceptJsonOnly(app);
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parseJson(request, String(body), done);
  });
}

/** Makes a scope read url-encoded forms only; every other content type gets 415. */
export async function acceptFormsOnly(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formBody);
}

/** A text field of a parsed body; undefined when it is missing, sent twice or no text. */
export function readTextField(body: unknown, name: string): string | undefined {
  const value: unknown =
    typeof body === 'object' && body !== null && Object.hasOwn(body, name)
      ? (body as Readonly<Record<string, unknown>>)[name]
      : undefined;

  return typeof value === 'string' ? value : undefined;
}
