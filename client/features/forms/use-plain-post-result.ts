import { useEffect, useState } from 'react';

/** Results that were shown: who comes back to the page finds a fresh form, not the old answer. */
const shownResults = new WeakSet<object>();

/** The server's answer to a plain post, for the first form of the document only. */
export function usePlainPostResult<Result extends object>(
  given: Result | undefined,
): Result | undefined {
  const [result] = useState(() => (given && !shownResults.has(given) ? given : undefined));

  useEffect(() => {
    if (result) shownResults.add(result);
  }, [result]);

  return result;
}
