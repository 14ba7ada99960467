import { fileURLToPath } from 'node:url';

/**
 * What every process of a test has besides the settings given: the tests start hundreds, and most of
 * a start is compiling what the one before compiled already.
 */
export const processEnvironment = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
};
