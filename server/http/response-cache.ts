/*
 * Own code because of a measurement: a cached page sent by Fastify's own way takes twice the processor time (decision
 * 082; `npm run bench:pages`).
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { untilBodyHasArrived } from './request-body.ts';
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

/** Encodings of bodies, the preferred one first. */
const encodings: Encoding[] = ['br', 'gzip', 'identity'];

/** A body that is the same for everyone, as it is sent. */
export type CachedResponse = ReturnType<typeof compressText>;

/**
 * Makes a cached response of a text, which is compressed once in each encoding that is asked for:
 * brotli takes longer than rendering a page.
 */
export function compressText(text: string) {
  const identity = Buffer.from(text);
  const encoded: Partial<Record<Encoding, Promise<Buffer>>> = {};

  return {
    encode: (encoding: Encoding): Promise<Buffer> => (encoded[encoding] ??= encoders[encoding](identity)),
    /** Of the document's `<style>`, where the text is a document that has one. */
    styleHash: hashInlineStyles(text),
    /** Without quotes and without the encoding's suffix. */
    tag: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
  };
}

/** Headers of a cached body, in one object for all its responses. */
export interface CachedResponseHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Request headers the response depends on, beside Accept-Encoding. */
  readonly vary?: string;
}

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Sends a cached body in the encoding the client prefers; 304 when the client has that body. Headers of other names that the reply has are sent, too. Of Fastify's hooks only `onResponse` runs
     * after it: a cookie that a plugin sets in `onSend` isn't sent.
     */
    readonly sendCached: (body: CachedResponse, headers: CachedResponseHeaders) => Promise<void>;
  }
}

/** Header names and values in turn, as Node's `writeHead` takes them. */
type HeaderList = readonly string[];

/** What is the same in all responses with a body in one encoding. */
interface PreparedHeaders {
  readonly source: CachedResponseHeaders;
  readonly tag: string;
  /** Of all below. */
  readonly names: ReadonlySet<string>;
  /** By status: of a 304; of the whole body. */
  readonly ofKnown: HeaderList;
  readonly ofWhole: HeaderList;
}

function chooseEncoding(request: FastifyRequest): Encoding {
  const accepted = request.headers['accept-encoding'];
  if (accepted === undefined) return 'identity';
  const chosen = negotiate(accepted, encodings);

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

function prepareHeaders(
  body: CachedResponse,
  encoding: Encoding,
  source: CachedResponseHeaders,
  securityHeaders: Readonly<Record<string, string>>,
  length: number,
): PreparedHeaders {
  const isIdentity = encoding === 'identity';
  const tag = isIdentity ? `"${body.tag}"` : `"${body.tag}-${encoding}"`;
  const known = {
    ...securityHeaders,
    'cache-control': source.cacheControl,
    vary: source.vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${source.vary}`,
    etag: tag,
  };
  const whole = {
    ...known,
    'content-type': source.contentType,
    ...(isIdentity ? {} : { 'content-encoding': encoding }),
    'content-length': String(length),
  };

  return {
    source,
    tag,
    names: new Set(Object.keys(whole)),
    ofKnown: Object.entries(known).flat(),
    ofWhole: Object.entries(whole).flat(),
  };
}

/** Prepared headers, after those that a reply has of its own, if any. */
function mergeHeaders(reply: FastifyReply, prepared: HeaderList, names: ReadonlySet<string>): string[] {
  if (reply.server.isShuttingDown()) reply.header('connection', 'close');
  const own = Object.entries(reply.getHeaders()).filter(([name]) => !names.has(name));

  return own.flatMap(([name, value = '']) => [value].flat().flatMap((one) => [name, String(one)])).concat(prepared);
}

/**
 * Sends cached bodies with headers that are listed once, past Fastify's own way of sending, which collects and copies
 * each header anew (`docs/decisions/082-cached-responses-are-sent-with-prepared-headers.md`).
 */
export const responseCache = fastifyPlugin(
  async (app) => {
    const preparedHeaders = new WeakMap<Buffer, PreparedHeaders>();

    const getHeaders = (bytes: Buffer, body: CachedResponse, encoding: Encoding, source: CachedResponseHeaders) => {
      const known = preparedHeaders.get(bytes);
      if (known?.source === source) return known;
      const prepared = prepareHeaders(body, encoding, source, app.listSecurityHeaders(body.styleHash), bytes.length);
      preparedHeaders.set(bytes, prepared);

      return prepared;
    };

    app.decorateReply('sendCached', async function (this: FastifyReply, body, headers) {
      const { request, raw } = this;
      const encoding = chooseEncoding(request);
      const bytes = await body.encode(encoding);
      await untilBodyHasArrived(request);
      const prepared = getHeaders(bytes, body, encoding, headers);
      const isKnown = this.statusCode === 200 && hasTag(request, prepared.tag);

      if (isKnown) {
        raw.writeHead(304, mergeHeaders(this, prepared.ofKnown, prepared.names));
      } else {
        raw.writeHead(this.statusCode, mergeHeaders(this, prepared.ofWhole, prepared.names));
      }
      // Not before: an error of these headers must get a response.
      this.hijack();
      // Of a HEAD, Node leaves out the body.
      raw.end(isKnown ? undefined : bytes);
    });
  },
  { name: 'response-cache', dependencies: ['graceful-shutdown', 'security-headers'] },
);
