import { setTimeout as wait } from 'node:timers/promises';

/**
 * Calls `read` until its result is not undefined, null (an empty column) or false, and returns the result.
 * @param what the condition, for the error
 * @param pauseMs pause between calls; longer if each call starts a process
 * @throws an error after `timeoutMs`
 */
export async function waitFor<Result>(
  what: string,
  read: () => Promise<Result | undefined | null | false> | Result | undefined | null | false,
  timeoutMs = 30_000,
  pauseMs = 50,
): Promise<Result> {
  const end = performance.now() + timeoutMs;

  for (;;) {
    const result = await read();
    if (result !== undefined && result !== null && result !== false) return result;
    if (performance.now() > end) throw new Error(`Timed out after ${timeoutMs} ms waiting for ${what}.`);
    await wait(pauseMs);
  }
}
