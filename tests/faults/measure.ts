/** Maximum time in milliseconds until a visitor gets a response, whatever happens to PostgreSQL and Redis. */
export const MAX_ANSWER_MS = 4_000;

/** Returns the result of `work` and its duration in milliseconds. */
export async function measure<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const startedAt = performance.now();
  const result = await work();

  return [result, performance.now() - startedAt];
}
