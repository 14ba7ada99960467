/** Within so many milliseconds a visitor has a response, whatever PostgreSQL and Redis do. */
export const MAX_ANSWER_MS = 4_000;

/** What `work` resolves to, and how many milliseconds that took. */
export async function measure<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const startedAt = performance.now();
  const result = await work();

  return [result, performance.now() - startedAt];
}
