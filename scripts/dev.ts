import { runSite } from './run-site.ts';

const WATCH = ['--watch', '--watch-preserve-output'];

await runSite({
  nodeEnvironment: 'development',
  web: [...WATCH, 'server/dev.ts'],
  worker: [...WATCH, 'jobs/main.ts'],
});
