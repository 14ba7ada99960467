import { setTimeout as wait } from 'node:timers/promises';

/**
 * Reads again and again until the result is neither undefined, null (an empty column) nor false, and returns it.
 * @param pauseMs between two reads: more where each costs a process
 * @throws naming `what` when that takes longer than `timeoutMs`
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
    if (performance.now() > end) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.`);
    await wait(pauseMs);
  }
}
