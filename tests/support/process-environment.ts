import { fileURLToPath } from 'node:url';

/**
 * The environment that every test process gets in addition to its settings. The tests start hundreds of processes, so they share
 * a cache of compiled code.
 */
export const processEnvironment = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
};
