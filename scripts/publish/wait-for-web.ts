import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getBuildId } from '../../shared/node/content/build-folder.ts';
import { apiPaths } from '../../shared/paths.ts';
import { showStep } from '../progress.mjs';

const TIMEOUT_MS = 120_000;
/** If web doesn't respond within this time, it is considered unreachable. */
const REACH_TIMEOUT_MS = 5_000;
/** Required consecutive responses, because several web processes may run behind the proxy. */
const RESPONSES = 10;

/** Returns the local URL of web, or of the proxy in front of it. */
function getAddress({ PORT, BIND_ADDRESS }: NodeJS.ProcessEnv): string {
  const host = BIND_ADDRESS?.replaceAll(/[[\]]/g, '') || '127.0.0.1';
  const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;

  return `http://${local.includes(':') ? `[${local}]` : local}:${PORT || '3000'}${apiPaths.ready}`;
}

/** Returns the build that web reports, or undefined if it doesn't respond. */
async function askForBuild(): Promise<string | undefined> {
  try {
    const response = await fetch(getAddress(process.env), { signal: AbortSignal.timeout(REACH_TIMEOUT_MS) });
    const { build } = (await response.json()) as { readonly build?: string };

    return build ?? '';
  } catch {
    return undefined;
  }
}

/** Waits until web serves a build. Returns a message to print if that cannot be verified. */
async function pollWeb(build: string): Promise<string | undefined> {
  const wanted = getBuildId(build);
  const startedAt = performance.now();
  let hasResponded = false;
  for (let seen = 0; seen < RESPONSES; await sleep(100)) {
    const elapsed = performance.now() - startedAt;
    const found = await askForBuild();
    hasResponded ||= found !== undefined;
    if (!hasResponded && elapsed > REACH_TIMEOUT_MS) {
      return 'Web cannot be reached from here. If it is running, it switches within a few seconds.';
    }
    if (found !== undefined && dirname(found) !== dirname(wanted)) {
      return 'Web is still running another version. It will serve this build once it is upgraded.';
    }
    seen = found === wanted ? seen + 1 : 0;
    if (elapsed > TIMEOUT_MS) throw new Error('Web did not start with the new build. See its log.');
  }
  return undefined;
}

/** Waits until web serves a build. @throws if it still serves another build of this version */
export async function waitForWeb(build: string): Promise<void> {
  const note = await showStep('Switching web', () => pollWeb(build));
  if (note) console.log(note);
}
