import { setTimeout as wait } from 'node:timers/promises';

/**
 * Reads repeatedly until the result is not undefined, null (an empty column) or false, and returns it.
 * @param pauseMs pause between two reads; longer if each read starts a process
 * @throws an error that names `what` if this takes longer than `timeoutMs`
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
