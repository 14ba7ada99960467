/**
 * Makes a function that does the work for one key in the order it was called, one after another;
 * within this process only.
 */
export function createSerialiser() {
  const lastByKey = new Map<string, Promise<void>>();

  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const own = (lastByKey.get(key) ?? Promise.resolve()).then(work);
    const end = own.then(
      () => undefined,
      () => undefined,
    );
    lastByKey.set(key, end);

    try {
      return await own;
    } finally {
      if (lastByKey.get(key) === end) lastByKey.delete(key);
    }
  };
}
