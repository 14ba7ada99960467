import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { assetsPrefix } from '../../shared/paths.ts';
import { Day, Hour, Second } from '../../shared/time.ts';
import { readRange } from './byte-range.ts';
import { AppError } from './errors.ts';
import {
  encodings,
  cacheEncodings,
  type CachedResponse,
  type CachedResponseHeaders,
  type Encoding,
} from './response-cache.ts';

const clientFolder = fileURLToPath(new URL('../../dist/client/', import.meta.url));
const assetsFolder = join(clientFolder, 'assets');

const YEAR = 365 * Day;

/** Types of the files with a hash in their name, by the end of that. */
const contentTypes: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.mp4': 'video/mp4',
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

/** The files of a folder by their path in it; cached when first requested, some 13 MB in all. */
async function listFiles(folder: string): Promise<ReadonlyMap<string, CachedFile>> {
  const names = new Set(await readdir(folder, { recursive: true }));
  const served = [...names].filter((name) => extname(name) in contentTypes);

  return new Map(
    served.map((name) => [
      name,
      {
        body: {
          encodings: encodings.filter((encoding) => names.has(name + encodingEnds[encoding])),
          encode: cacheEncodings((encoding) => readFile(join(folder, name + encodingEnds[encoding]))),
          // The name has the hash of the content.
          tag: name,
        },
        headers: {
          contentType: contentTypes[extname(name)] ?? '',
          cacheControl: `public, max-age=${YEAR / Second}, immutable`,
        },
      },
    ]),
  );
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
 * Serves the files with a hash in their name, which browsers cache for a year, from memory: with
 * @fastify/static each response that isn't read yet holds an open file and 170 kB of its own, and its
 * `preCompressed` takes two to three times the processor time of a response (0.6 ms instead of 0.3 ms for 84 kB).
 */
async function registerAssets(app: FastifyInstance): Promise<void> {
  const files = await listFiles(assetsFolder);

  const bounded = { config: { isBounded: true } };
  app.get<{ Params: { '*': string } }>(`${assetsPrefix}*`, bounded, async (request, reply) => {
    const file = files.get(request.params['*']);
    if (!file) return reply.callNotFound();

    try {
      return await sendFile(request, reply, file);
    } catch (error) {
      // The site was built again since the start.
      if (getErrorCode(error) === 'ENOENT') return reply.callNotFound();
      throw error;
    }
  });
}

/**
 * Serves the built files with their precompressed forms: those with a hash in their name, and the few
 * with a fixed name (icons), which browsers cache for an hour.
 */
export const staticFiles = fastifyPlugin(
  async (app) => {
    await registerAssets(app);
    await app.register(fastifyStatic, {
      root: clientFolder,
      // Only what exists at the start gets a route, so that pages have the rest.
      wildcard: false,
      globIgnore: ['assets/**', '**/*.br', '**/*.gz', 'vite-plugin-ssr.json'],
      preCompressed: true,
      index: false,
      maxAge: 1 * Hour,
      decorateReply: false,
    });
  },
  { name: 'static-files', dependencies: ['error-handler', 'request-guard'] },
);
