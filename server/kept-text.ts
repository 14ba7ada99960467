import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashInlineStyles } from './inline-styles.ts';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** A page or document that is the same for everyone, as it is sent, in each encoding. */
export interface KeptText {
  readonly identity: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
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

type Encoding = 'br' | 'gzip' | 'identity';

/** Compresses a text once, so that sending it costs nothing more. */
export async function packText(text: string): Promise<KeptText> {
  const identity = Buffer.from(text);
  const [br, gz] = await Promise.all([
    compressBrotli(identity, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
      },
    }),
    compressGzip(identity, { level: constants.Z_BEST_COMPRESSION }),
  ]);

  return {
    identity,
    br,
    gzip: gz,
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
 * @returns the body, for the handler to return: Fastify watches over a reply that is returned
 *   instead, which costs a fifth of the answer; null with status 304 when the client has the text
 */
export function prepareKeptText(
  request: FastifyRequest,
  reply: FastifyReply,
  text: KeptText,
  { contentType, cacheControl, vary }: KeptTextHeaders,
): Buffer | null {
  const encoding = chooseEncoding(request);
  const tag = encoding === 'identity' ? `"${text.tag}"` : `"${text.tag}-${encoding}"`;

  reply.headers({
    'cache-control': cacheControl,
    vary: vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${vary}`,
    etag: tag,
  });
  reply.styleHash = text.styleHash;
  if (reply.statusCode === 200 && hasTag(request, tag)) {
    reply.code(304);

    return null;
  }
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  reply.type(contentType);

  return text[encoding];
}
