import { runWithCurrentBuild } from '../shared/node/content/build-switcher.ts';

/** The web process. */
await runWithCurrentBuild('web', () => import('./run-web.ts'));
