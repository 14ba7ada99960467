import { registerHooks } from 'node:module';

/*
 * Loaded before the web process (`node --import`): a line on standard error for each rendering of a
 * page, whatever requests it, so that those of a request can be counted. The module that renders is
 * replaced by one that logs and then calls it.
 */

const RENDERER = /\/dist\/server\/entries\/renderer_default-page-server\.mjs$/;

const writeLogger = (renderer: string): string => `
import * as renderer from ${JSON.stringify(renderer)};
export * from ${JSON.stringify(renderer)};
export function render(input) {
  process.stderr.write('render ' + JSON.stringify(input.location) + '\\n');
  return renderer.render(input);
}`;

registerHooks({
  load: (url, context, nextLoad) =>
    RENDERER.test(url)
      ? { format: 'module', shortCircuit: true, source: writeLogger(`${url}?renders`) }
      : nextLoad(url, context),
});
