/*
 * Own code because of an attack: with @fastify/static each response that isn't read yet holds an open file and 170 kB,
 * and as many as there are connections (`server-limits.ts`) exceed the container's 512 MB. From memory they share the
 * bytes: "downloads that nobody reads" in `tests/integration/static-files.test.ts`. A response also takes half the
 * processor time or less (0.3 ms instead of 0.6 ms for 84 kB).
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { assetsPrefix } from '../../shared/paths.ts';
import { Day, Hour, Second } from '../../shared/time.ts';
import { AppError } from './errors.ts';
import {
  encodings,
  cacheEncodings,
  type ByteRange,
  type CachedResponse,
  type CachedResponseHeaders,
  type Encoding,
} from './response-cache.ts';

const clientFolder = fileURLToPath(new URL('../../dist/client/', import.meta.url));

const YEAR = 365 * Day;

/** Types of the built files by the end of their name; others aren't served. */
const contentTypes: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/vnd.microsoft.icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.mp4': 'video/mp4',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Ends of the names of a file's compressed forms, which the build writes. */
const encodingEnds = { br: '.br', gzip: '.gz', identity: '' } as const satisfies Record<Encoding, string>;

/** A file and its headers. */
interface CachedFile {
  readonly body: CachedResponse;
  readonly headers: CachedResponseHeaders;
}

async function cacheFile(name: string, names: ReadonlySet<string>): Promise<CachedFile> {
  // The build puts a hash of the content into these names.
  const hasHash = `/${name}`.startsWith(assetsPrefix);
  const read = (encoding: Encoding) => readFile(join(clientFolder, name + encodingEnds[encoding]));
  const maxAge = hasHash ? `${YEAR / Second}, immutable` : Hour / Second;

  return {
    body: {
      encodings: encodings.filter((encoding) => names.has(name + encodingEnds[encoding])),
      encode: cacheEncodings(read),
      tag: hasHash
        ? `/${name}`.slice(assetsPrefix.length)
        : createHash('sha256').update(await read('identity')).digest('base64url').slice(0, 22),
    },
    headers: { contentType: contentTypes[extname(name)] ?? '', cacheControl: `public, max-age=${maxAge}` },
  };
}

/** The built files by their path; cached when first requested, some 13 MB in all. */
async function listFiles(): Promise<ReadonlyMap<string, CachedFile>> {
  const names = new Set(await readdir(clientFolder, { recursive: true }));
  const served = [...names].filter((name) => extname(name) in contentTypes);

  return new Map(
    await Promise.all(served.map(async (name) => [`/${name}`, await cacheFile(name, names)] as const)),
  );
}

/** One range; several at once and other units are ignored, which RFC 9110 (section 14.2) allows. */
const RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * The part of a body that a request asks for; undefined where it is to get the whole, `none` where the body has no such
 * part.
 * @param tag of the body, with its quotes: whoever has a part of another one needs the whole
 */
function readRange(
  { range = '', 'if-range': known = '' }: IncomingHttpHeaders,
  tag: string,
  length: number,
): ByteRange | 'none' | undefined {
  const [match, first, last, suffix] = RANGE.exec(range) ?? [];
  if (match === undefined || (known !== '' && known !== tag)) return undefined;
  const start = first === undefined ? Math.max(0, length - Number(suffix)) : Number(first);
  const end = last ? Math.min(length, Number(last) + 1) : length;
  if (start >= length) return 'none';

  return start < end ? { start, end } : undefined;
}

/** Sends a file, or the part that is asked for, which is one of the file as it is. */
async function sendFile(request: FastifyRequest, reply: FastifyReply, { body, headers }: CachedFile) {
  // Of any other method a range is ignored (RFC 9110, 14.2).
  const isPart = request.method === 'GET' && request.headers.range !== undefined;
  reply.header('accept-ranges', 'bytes');
  const { length } = isPart ? await body.encode('identity') : { length: 0 };
  const range = isPart ? readRange(request.headers, `"${body.tag}"`, length) : undefined;
  if (range === 'none') {
    reply.header('content-range', `bytes */${length}`);
    throw new AppError('range-not-satisfiable', 'The file has no such part.');
  }

  return reply.sendCached(body, headers, range);
}

/**
 * Serves the built files with their precompressed forms: those with a hash in their name, which browsers cache for a
 * year, and the few with a fixed name (icons), which they cache for an hour.
 */
export const staticFiles = fastifyPlugin(
  async (app) => {
    const files = await listFiles();
    const serve = async (request: FastifyRequest, reply: FastifyReply) => {
      const file = files.get(request.url.split('?', 1)[0] ?? '');
      if (!file) return reply.callNotFound();

      try {
        return await sendFile(request, reply, file);
      } catch (error) {
        // The site was built again since the start.
        if (getErrorCode(error) === 'ENOENT') return reply.callNotFound();
        throw error;
      }
    };

    const options = { config: { isBounded: true } };
    app.get(`${assetsPrefix}*`, options, serve);
    // Only what exists at the start gets a route, so that pages have the rest.
    for (const path of files.keys()) if (!path.startsWith(assetsPrefix)) app.get(path, options, serve);
  },
  { name: 'static-files', dependencies: ['error-handler', 'request-guard'] },
);
