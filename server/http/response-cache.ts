import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Hour, Second } from '../../shared/time.ts';
import { hashInlineStyles } from './security-headers.ts';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

const encoders = {
  br: (identity: Buffer) =>
    compressBrotli(identity, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
      },
    }),
  gzip: (identity: Buffer) => compressGzip(identity, { level: constants.Z_BEST_COMPRESSION }),
  identity: async (identity: Buffer) => identity,
};

type Encoding = keyof typeof encoders;

const encodings: Encoding[] = ['br', 'gzip', 'identity'];

export type CachedResponse = ReturnType<typeof compressText>;

/** Returns a response that is compressed once per encoding. Brotli takes longer than rendering (`npm run bench:pages`). */
export function compressText(text: string) {
  const identity = Buffer.from(text);
  const encoded: Partial<Record<Encoding, Promise<Buffer>>> = {};

  return {
    encode: (encoding: Encoding): Promise<Buffer> => (encoded[encoding] ??= encoders[encoding](identity)),
    /** Hash of the document's `<style>`, if it has one. */
    styleHash: hashInlineStyles(text),
    /** The ETag without quotes or the encoding suffix. */
    tag: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
  };
}

interface CachedResponseHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Request headers on which the response depends, besides Accept-Encoding. */
  readonly vary?: string;
}

declare module 'fastify' {
  interface FastifyReply {
    /** Sends a cached body in the encoding that the client prefers, or 304 if the client has it. */
    readonly sendCached: (body: CachedResponse, headers: CachedResponseHeaders) => Promise<FastifyReply>;
  }
}

function chooseEncoding(request: FastifyRequest): Encoding {
  const accepted = request.headers['accept-encoding'];
  if (accepted === undefined) return 'identity';
  const chosen = negotiate(accepted, encodings);

  return encodings.find((encoding) => encoding === chosen) ?? 'identity';
}

/** Returns whether If-None-Match contains this tag, by weak comparison as for every GET (RFC 9110). */
function hasTag(request: FastifyRequest, tag: string): boolean {
  const tags = request.headers['if-none-match'];
  if (tags === undefined) return false;

  return tags.split(',').some((item) => {
    const value = item.trim().replace(/^W\//, '');

    return value === '*' || value === tag;
  });
}

/** Adds `sendCached` to replies. */
export function addResponseCache(app: FastifyInstance): void {
  app.decorateReply('sendCached', async function (this: FastifyReply, body, { contentType, cacheControl, vary }) {
    const encoding = chooseEncoding(this.request);
    const isIdentity = encoding === 'identity';
    const tag = isIdentity ? `"${body.tag}"` : `"${body.tag}-${encoding}"`;
    this.styleHash = body.styleHash;
    this.headers({
      'cache-control': cacheControl,
      vary: vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${vary}`,
      etag: tag,
    });
    if (this.statusCode === 200 && hasTag(this.request, tag)) return this.code(304).send();
    if (!isIdentity) this.header('content-encoding', encoding);

    return this.type(contentType).send(await body.encode(encoding));
  });
}

interface TextDocument {
  readonly path: string;
  readonly contentType: string;
  /** Called once, on the first request. */
  readonly write: () => string;
}

export const PLAIN_TEXT_TYPE = 'text/plain; charset=utf-8';

const TEXT_CACHE_CONTROL = `public, max-age=${Hour / Second}`;

/** Routes `GET` and `HEAD` for text documents. Each has an ETag and stays fresh for an hour. */
export function routeTextDocuments(app: FastifyInstance, documents: readonly TextDocument[]): void {
  for (const { path, contentType, write } of documents) {
    let response: CachedResponse | undefined;
    app.get(path, async (_request, reply) =>
      reply.sendCached((response ??= compressText(write())), { contentType, cacheControl: TEXT_CACHE_CONTROL }),
    );
  }
}
