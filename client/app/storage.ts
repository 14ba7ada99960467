/** Returns the result of `access`, or undefined if storage is blocked, full or holds invalid content. */
export function tryStorage<Result>(access: () => Result): Result | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
