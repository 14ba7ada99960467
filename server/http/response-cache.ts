import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashInlineStyles } from './inline-styles.ts';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Encodings of bodies, in the order in which they are preferred. */
export const encodings = ['br', 'gzip', 'identity'] as const;

export type Encoding = (typeof encodings)[number];

/** A body that is the same for everyone, as it is sent. */
export interface CachedResponse {
  /** Those there are beside identity; the best comes first. */
  readonly encodings: readonly Encoding[];
  /** Made when it is first asked for, and kept. */
  readonly encode: (encoding: Encoding) => Promise<Buffer>;
  /** Of the document's `<style>`, if it is one and has it. */
  readonly styleHash?: string | undefined;
  /** Without quotes and without the encoding's suffix. */
  readonly tag: string;
}

export interface CachedResponseHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Request headers the answer depends on, beside Accept-Encoding. */
  readonly vary?: string;
}

const encoders: Readonly<Record<Encoding, (identity: Buffer) => Promise<Buffer>>> = {
  br: (identity) =>
    compressBrotli(identity, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
      },
    }),
  gzip: (identity) => compressGzip(identity, { level: constants.Z_BEST_COMPRESSION }),
  identity: async (identity) => identity,
};

/** Makes each encoding when it is first asked for, and once. */
export function cacheEncodings(make: CachedResponse['encode']): CachedResponse['encode'] {
  const encoded = new Map<Encoding, Promise<Buffer>>();

  return (encoding) => {
    const known = encoded.get(encoding);
    if (known) return known;
    const made = make(encoding);
    encoded.set(encoding, made);
    // A failure is not worth keeping; who asked gets the error.
    made.catch(() => encoded.delete(encoding));

    return made;
  };
}

/**
 * Compresses a text once in each encoding, so that sending it costs nothing more; in none before it
 * is asked for: brotli takes longer than rendering a page.
 */
export function compressText(text: string): CachedResponse {
  const identity = Buffer.from(text);

  return {
    encodings,
    encode: cacheEncodings((encoding) => encoders[encoding](identity)),
    styleHash: hashInlineStyles(text),
    tag: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
  };
}

function chooseEncoding(request: FastifyRequest, { encodings }: CachedResponse): Encoding {
  const accepted = request.headers['accept-encoding'];
  if (accepted === undefined || encodings.length === 1) return 'identity';
  const chosen = negotiate(accepted, [...encodings]);

  return encodings.find((encoding) => encoding === chosen) ?? 'identity';
}

/** Whether If-None-Match names this tag; the comparison is weak, as for every GET (RFC 9110). */
function hasTag(request: FastifyRequest, tag: string): boolean {
  const known = request.headers['if-none-match'];
  if (known === undefined) return false;

  return known.split(',').some((item) => {
    const value = item.trim().replace(/^W\//, '');

    return value === '*' || value === tag;
  });
}

/**
 * Prepares the answer with a kept body, in the encoding the client prefers.
 * @returns what the handler has to return: the body, since Fastify watches over a reply that is
 *   returned instead, which costs a fifth of the answer; the reply, sent with 304, when the client has
 *   it
 */
export async function prepareCachedResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  body: CachedResponse,
  { contentType, cacheControl, vary }: CachedResponseHeaders,
): Promise<Buffer | FastifyReply> {
  const encoding = chooseEncoding(request, body);
  const tag = encoding === 'identity' ? `"${body.tag}"` : `"${body.tag}-${encoding}"`;
  // Before the headers: what can't be made is answered without those of what can.
  const bytes = await body.encode(encoding);

  reply.headers({
    'cache-control': cacheControl,
    vary: vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${vary}`,
    etag: tag,
  });
  reply.styleHash = body.styleHash;
  if (reply.statusCode === 200 && hasTag(request, tag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  reply.type(contentType);

  return bytes;
}
