/** How long a visitor may wait for a response, whatever happens to PostgreSQL and Redis, in milliseconds. */
export const MAX_ANSWER_MS = 4_000;

/** Returns the result of `work` and how long it took, in milliseconds. */
export async function measure<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const startedAt = performance.now();
  const result = await work();

  return [result, performance.now() - startedAt];
}
