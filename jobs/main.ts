import { runWithCurrentBuild } from '../shared/node/content/build-switcher.ts';

await runWithCurrentBuild('worker', () => import('./run-worker.ts'));
