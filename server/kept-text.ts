import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashInlineStyles } from './inline-styles.ts';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

type Encoding = 'br' | 'gzip' | 'identity';

/** A page or document that is the same for everyone, as it is sent. */
export interface KeptText {
  /** Made when it is first asked for, and kept. */
  readonly encode: (encoding: Encoding) => Promise<Buffer>;
  /** Of the document's `<style>`, if the text is one and has it. */
  readonly styleHash: string | undefined;
  /** Without quotes and without the encoding's suffix. */
  readonly tag: string;
}

export interface KeptTextHeaders {
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

/**
 * Compresses a text once in each encoding, so that sending it costs nothing more; in none before it
 * is asked for: brotli takes longer than rendering a page.
 */
export function packText(text: string): KeptText {
  const identity = Buffer.from(text);
  const encoded = new Map<Encoding, Promise<Buffer>>();

  return {
    encode: (encoding) => {
      const known = encoded.get(encoding);
      if (known) return known;
      const made = encoders[encoding](identity);
      encoded.set(encoding, made);
      // A failure is not worth keeping; who asked gets the error.
      made.catch(() => encoded.delete(encoding));

      return made;
    },
    styleHash: hashInlineStyles(text),
    tag: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
  };
}

function chooseEncoding(request: FastifyRequest): Encoding {
  const accepted = request.headers['accept-encoding'];
  const chosen = accepted === undefined ? null : negotiate(accepted, ['br', 'gzip', 'identity']);

  return chosen === 'br' || chosen === 'gzip' ? chosen : 'identity';
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
 * Prepares the answer with a kept text, in the encoding the client prefers.
 * @returns what the handler has to return: the body, since Fastify watches over a reply that is
 *   returned instead, which costs a fifth of the answer; the reply, sent with 304, when the client has
 *   the text
 */
export async function prepareKeptText(
  request: FastifyRequest,
  reply: FastifyReply,
  text: KeptText,
  { contentType, cacheControl, vary }: KeptTextHeaders,
): Promise<Buffer | FastifyReply> {
  const encoding = chooseEncoding(request);
  const tag = encoding === 'identity' ? `"${text.tag}"` : `"${text.tag}-${encoding}"`;

  reply.headers({
    'cache-control': cacheControl,
    vary: vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${vary}`,
    etag: tag,
  });
  reply.styleHash = text.styleHash;
  if (reply.statusCode === 200 && hasTag(request, tag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  reply.type(contentType);

  return text.encode(encoding);
}
