import type { Socket } from 'node:net';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { buildFolder, listOtherBuilds } from '../../shared/node/content/build-folder.ts';
import { assetsPrefix } from '../../shared/paths.ts';
import { Day, Hour, Second } from '../../shared/time.ts';

/** Responses with a file that are under way at once. Each uses an open file and 170 kB until its client reads it. */
const MAX_DOWNLOADS = 1_000;

/** Of files with a hash in their name, and of the few with a fixed name, such as icons. */
const IMMUTABLE = `public, max-age=${(365 * Day) / Second}, immutable`;
export const FRESH_FOR_AN_HOUR = `public, max-age=${Hour / Second}`;

/** The build that is served, and then those whose files visitors may still ask for. */
const listBuilds = () => [buildFolder, ...listOtherBuilds()];

/** Serves built files precompressed. Beyond a limit each download closes the oldest: unread ones fill the memory. */
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
      // Only what exists at the start gets a route, so that pages have the rest.
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
