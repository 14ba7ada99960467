// Within this time further signals belong to the same Ctrl-C: the terminal sends one to every
// process of the group, and npm and setup.mjs pass theirs on as well.
const ONE_REQUEST_MS = 1_000;

export interface StopRequest {
  /** Aborted when the site is asked to stop. */
  readonly stop: AbortSignal;
  /** Aborted when it is asked again. */
  readonly hurry: AbortSignal;
}

/**
 * From now on SIGINT, SIGTERM, SIGHUP and the end of setup.mjs abort `stop`, and once more
 * `hurry`, instead of ending this process.
 */
export function listenForStop(): StopRequest {
  const stop = new AbortController();
  const hurry = new AbortController();
  let firstAt = 0;
  const request = (): void => {
    if (!stop.signal.aborted) {
      firstAt = performance.now();
      console.log('Stopping …');
      stop.abort(new Error('stopped'));
    } else if (performance.now() - firstAt > ONE_REQUEST_MS) {
      hurry.abort(new Error('hurried'));
    }
  };
  // A terminal that is gone must not break the shutdown when it prints.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request);
  process.on('disconnect', request);
  return { stop: stop.signal, hurry: hurry.signal };
}
