/** Returns the result of `access`, or undefined if storage is blocked, full or contains invalid content. */
export function tryStorage<Result>(access: () => Result): Result | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
