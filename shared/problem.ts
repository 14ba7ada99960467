/** One sentence per bad field, keyed by its name in the request. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Outcome of parsing input from outside: the value, or a sentence per bad field. */
export type ParseResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly errors: FieldErrors };

/** An error response as `application/problem+json` (RFC 9457) with a stable `code`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** A sentence for the person in front of the screen; never internals. */
  readonly detail: string;
  readonly code: string;
  readonly errors?: FieldErrors;
}
