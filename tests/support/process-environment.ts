import { fileURLToPath } from 'node:url';

/**
 * The environment of every test process besides the given settings. The tests start hundreds of processes, so they share
 * a cache of compiled code.
 */
export const processEnvironment = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
};
