import type { FieldErrors } from './contact/contact-schema.ts';

/** An error answer as `application/problem+json` (RFC 9457) with a stable `code`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** A sentence for the person in front of the screen; never internals. */
  readonly detail: string;
  readonly code: string;
  readonly errors?: FieldErrors;
}
