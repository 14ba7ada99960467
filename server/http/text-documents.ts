import type { FastifyInstance } from 'fastify';
import { Hour, Second } from '../../shared/time.ts';
import { compressText, type CachedResponse } from './response-cache.ts';

/** A text that is the same for everyone, such as a feed. */
interface TextDocument {
  readonly path: string;
  readonly contentType: string;
  /** Called for each request: cheap, or a function of `writeOnce`. */
  readonly write: () => string;
}

export const PLAIN_TEXT_TYPE = 'text/plain; charset=utf-8';

const CACHE_CONTROL = `public, max-age=${Hour / Second}`;

/** Writes a text at its first use: what it is made from stays the same while the process runs. */
export function writeOnce(write: () => string): () => string {
  let text: string | undefined;

  return () => (text ??= write());
}

/** Compresses a text again only when it has changed. */
function createCompressor(): (text: string) => CachedResponse {
  let last: { readonly text: string; readonly response: CachedResponse } | undefined;

  return (text) => {
    if (last?.text !== text) last = { text, response: compressText(text) };

    return last.response;
  };
}

/** Routes `GET` and `HEAD` of texts, each with an ETag and fresh for an hour. */
export function routeTextDocuments(app: FastifyInstance, documents: readonly TextDocument[]): void {
  for (const { path, contentType, write } of documents) {
    const compress = createCompressor();

    const headers = { contentType, cacheControl: CACHE_CONTROL };

    app.get(path, { config: { isBounded: true } }, async (_request, reply) =>
      reply.sendCached(compress(write()), headers),
    );
  }
}
