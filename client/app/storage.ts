/** Returns the result of `access`, or undefined if the browser forbids storage, or if it is full or has invalid content. */
export function tryStorage<Result>(access: () => Result): Result | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
