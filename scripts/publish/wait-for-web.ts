import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getBuildId } from '../../shared/node/content/build-folder.ts';
import { apiPaths } from '../../shared/paths.ts';
import { showStep } from '../progress.mjs';

const TIMEOUT_MS = 120_000;
/** Whoever does not respond within this time cannot be reached from here. */
const REACH_TIMEOUT_MS = 5_000;
/** Responses in a row: behind the proxy there may be several web processes. */
const RESPONSES = 10;

/** Where web, or the proxy before it, responds on this machine. */
function getAddress({ PORT, BIND_ADDRESS }: NodeJS.ProcessEnv): string {
  const host = BIND_ADDRESS?.replaceAll(/[[\]]/g, '') || '127.0.0.1';
  const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;

  return `http://${local.includes(':') ? `[${local}]` : local}:${PORT || '3000'}${apiPaths.ready}`;
}

/** The build that web names; undefined while it does not respond. */
async function askForBuild(): Promise<string | undefined> {
  try {
    const response = await fetch(getAddress(process.env), { signal: AbortSignal.timeout(REACH_TIMEOUT_MS) });
    const { build } = (await response.json()) as { readonly build?: string };

    return build ?? '';
  } catch {
    return undefined;
  }
}

/** Waits until web serves a build. @returns what to print where that cannot be seen from here */
async function pollWeb(build: string): Promise<string | undefined> {
  const wanted = getBuildId(build);
  const startedAt = performance.now();
  let hasResponded = false;
  for (let seen = 0; seen < RESPONSES; await sleep(100)) {
    const elapsed = performance.now() - startedAt;
    const found = await askForBuild();
    hasResponded ||= found !== undefined;
    if (!hasResponded && elapsed > REACH_TIMEOUT_MS) {
      return 'Web cannot be reached from here. If it runs, it switches within a few seconds.';
    }
    if (found !== undefined && dirname(found) !== dirname(wanted)) {
      return 'Web is of another version. It serves this build once it is of this version.';
    }
    seen = found === wanted ? seen + 1 : 0;
    if (elapsed > TIMEOUT_MS) throw new Error('Web did not start with the new build; its log says why.');
  }
  return undefined;
}

/** Waits until web serves a build. @throws when it doesn't although it could */
export async function waitForWeb(build: string): Promise<void> {
  const note = await showStep('Switching web', () => pollWeb(build));
  if (note) console.log(note);
}
