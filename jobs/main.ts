import { runWithCurrentBuild } from '../shared/node/content/build-switcher.ts';

/** The worker process. */
await runWithCurrentBuild('worker', () => import('./run-worker.ts'));
