import formBody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';

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
