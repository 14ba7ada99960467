/** The code that Node, PostgreSQL and mail errors carry, e.g. `ECONNREFUSED`; undefined without. */
export function getErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
