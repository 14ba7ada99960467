import { setTimeout as wait } from 'node:timers/promises';

/**
 * Asks until the answer is neither undefined, null (an empty column) nor false, and returns it.
 * @throws naming `what` when that takes longer than `timeoutMs`
 */
export async function waitFor<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | null | false> | Answer | undefined | null | false,
  timeoutMs = 30_000,
): Promise<Answer> {
  const end = performance.now() + timeoutMs;

  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false) return answer;
    if (performance.now() > end) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.`);
    await wait(50);
  }
}
