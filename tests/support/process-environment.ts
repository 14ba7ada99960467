import { fileURLToPath } from 'node:url';

/**
 * Environment variables that every process under test gets in addition to its settings. Tests start hundreds of
 * processes, which share a cache of compiled code.
 */
export const processEnvironment = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
};
