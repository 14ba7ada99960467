import type { Socket } from 'node:net';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { buildFolder, listOtherBuilds } from '../../shared/node/content/build-folder.ts';
import { assetsPrefix } from '../../shared/paths.ts';
import { Day, Hour, Second } from '../../shared/time.ts';

/** Maximum concurrent downloads. Each uses an open file and 170 kB until the client has read it. */
const MAX_DOWNLOADS = 1_000;

/** The Cache-Control value for files with a hash in their name. */
const IMMUTABLE = `public, max-age=${(365 * Day) / Second}, immutable`;
/** The Cache-Control value for the few files with a fixed name, such as icons. */
export const FRESH_FOR_AN_HOUR = `public, max-age=${Hour / Second}`;

/** Returns the current build and earlier ones whose files visitors may still request. */
const listBuilds = () => [buildFolder, ...listOtherBuilds()];

/** Serves precompressed built files. Beyond the limit, a new download closes the oldest, to save memory. */
export async function serveStaticFiles(app: FastifyInstance, builds = listBuilds(), maxDownloads = MAX_DOWNLOADS) {
  const downloads = new Set<Socket>();

  await app.register(async (scope) => {
    scope.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
      downloads.add(socket);
      reply.raw.once('close', () => downloads.delete(socket));
      const [oldest] = downloads;
      if (downloads.size > maxDownloads) oldest?.destroy();
      done();
    });
    await scope.register(fastifyStatic, {
      root: builds.map((folder) => join(folder, 'client')),
      // Routes only existing files, and leaves all other paths to pages.
      wildcard: false,
      globIgnore: ['**/*.{br,gz}', 'vite-plugin-ssr.json'],
      preCompressed: true,
      // For the owner's `.well-known/`.
      serveDotFiles: true,
      index: false,
      cacheControl: false,
      setHeaders: (reply) => {
        reply.header('cache-control', reply.request.url.startsWith(assetsPrefix) ? IMMUTABLE : FRESH_FOR_AN_HOUR);
      },
      decorateReply: false,
    });
  });
}
