import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashInlineStyles } from './security-headers.ts';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Encodings of bodies, in the order in which they are preferred. */
export const encodings = ['br', 'gzip', 'identity'] as const;

export type Encoding = (typeof encodings)[number];

/** A body that is the same for everyone, as it is sent. */
export interface CachedResponse {
  /** Those it can be sent in; the preferred one comes first. */
  readonly encodings: readonly Encoding[];
  /** Encodes when first asked for, and caches the bytes. */
  readonly encode: (encoding: Encoding) => Promise<Buffer>;
  /** Of the document's `<style>`, where the body is a document that has one. */
  readonly styleHash?: string | undefined;
  /** Without quotes and without the encoding's suffix. */
  readonly tag: string;
}

interface CachedResponseHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Request headers the response depends on, beside Accept-Encoding. */
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

/** Makes each encoding once, when it is first asked for. */
export function cacheEncodings(encode: CachedResponse['encode']): CachedResponse['encode'] {
  const encoded = new Map<Encoding, Promise<Buffer>>();

  return (encoding) => {
    const cached = encoded.get(encoding);
    if (cached) return cached;
    const bytes = encode(encoding);
    encoded.set(encoding, bytes);
    // A failure is not cached; who asked gets the error.
    bytes.catch(() => encoded.delete(encoding));

    return bytes;
  };
}

/**
 * Makes a cached response of a text, which is compressed once in each encoding that is asked for:
 * brotli takes longer than rendering a page.
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
  const tags = request.headers['if-none-match'];
  if (tags === undefined) return false;

  return tags.split(',').some((item) => {
    const value = item.trim().replace(/^W\//, '');

    return value === '*' || value === tag;
  });
}

/**
 * Prepares a reply with a cached body, in the encoding the client prefers.
 * @returns what the handler has to return: the body, since Fastify tracks a reply that is returned
 *   instead, which costs a fifth of the response; or the reply, sent with 304, when the client has the
 *   body
 */
export async function prepareCachedResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  body: CachedResponse,
  { contentType, cacheControl, vary }: CachedResponseHeaders,
): Promise<Buffer | FastifyReply> {
  const encoding = chooseEncoding(request, body);
  const tag = encoding === 'identity' ? `"${body.tag}"` : `"${body.tag}-${encoding}"`;
  // Before the headers: an error must not be sent with those of the body.
  const bytes = await body.encode(encoding);

  reply.headers({
    'cache-control': cacheControl,
    vary: vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${vary}`,
    etag: tag,
  });
  reply.styleHash = body.styleHash;
  // Sent here: Fastify would serialize a returned `null` as JSON, also with 304.
  if (reply.statusCode === 200 && hasTag(request, tag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  reply.type(contentType);

  return bytes;
}
