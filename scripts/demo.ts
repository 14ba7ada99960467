import { ensureBuilt } from './build.ts';
import { runSite } from './run-site.ts';

await runSite({
  nodeEnvironment: 'production',
  web: ['server/main.ts'],
  worker: ['jobs/main.ts'],
  prepare: ensureBuilt,
});
