import { registerHooks } from 'node:module';
import { writeSync } from 'node:fs';

/*
 * Loaded before a process (`node --import`): a line on standard error for each module that is loaded,
 * imported or required.
 */

registerHooks({
  load: (url, context, nextLoad) => {
    writeSync(2, `loaded ${url}\n`);

    return nextLoad(url, context);
  },
});
