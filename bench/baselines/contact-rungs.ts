/**
 * The limit, and what the product adds to it, a step after the other; each rung has all before it.
 * `insert` is what is left of the limit without Redis, `job` the limit.
 */
export const contactRungs = [
  'insert',
  'job',
  'transaction',
  'repeats',
  'outbox',
  'jobs',
  'spam',
  'rate-limit',
] as const;

export type ContactRung = (typeof contactRungs)[number];
