import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { assetsPrefix } from '../shared/paths.ts';
import { Day, Hour } from '../shared/time.ts';

const clientFolder = fileURLToPath(new URL('../dist/client/', import.meta.url));

/**
 * Serves the built files with their precompressed forms: those with a hash in their name for a
 * year, the few with a fixed name (icons) for an hour.
 */
export async function registerStaticFiles(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: `${clientFolder}assets`,
    prefix: assetsPrefix,
    preCompressed: true,
    index: false,
    immutable: true,
    maxAge: 365 * Day,
    cacheControl: true,
  });
  await app.register(fastifyStatic, {
    root: clientFolder,
    // Only what exists at the start gets a route, so pages keep the rest.
    wildcard: false,
    globIgnore: ['assets/**', '**/*.br', '**/*.gz', 'vite-plugin-ssr.json'],
    preCompressed: true,
    index: false,
    maxAge: 1 * Hour,
    decorateReply: false,
  });
}
