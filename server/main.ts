import { runWithCurrentBuild } from '../shared/node/content/build-switcher.ts';

await runWithCurrentBuild('web', () => import('./run-web.ts'));
