import * as v from 'valibot';
import { loadWebConfig } from '../shared/node/config/config.ts';
import { SiteError } from '../shared/node/logging/describe-error.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';
import { apiPaths } from '../shared/paths.ts';
import { Second } from '../shared/time.ts';

const healthSchema = v.object({ schema: v.string() });

/**
 * Startup check of a web process that may have visitors, for orchestrators that replace one web
 * after another: it responds, and isn't ahead of the database's schema, where requests would fail
 * until the migrations are through. While PostgreSQL is away it may: pages are served without.
 */
await exitOnFailure(async () => {
  const { port } = loadWebConfig().web;
  const response = await fetch(`http://127.0.0.1:${port}${apiPaths.ready}`, {
    signal: AbortSignal.timeout(5 * Second),
  });
  const { schema } = v.parse(healthSchema, await response.json());
  if (schema === 'behind') throw new SiteError('The migrations of this version are not through yet.');
});
