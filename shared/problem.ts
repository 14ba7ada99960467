/** Error messages by field name. */
export type FieldErrors = Readonly<Record<string, string>>;

/** A parsed value, or the errors by field. */
export type ParseResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly errors: FieldErrors };

/** An error response as `application/problem+json` (RFC 9457) with a stable `code`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** A message for the visitor, without internal details. */
  readonly detail: string;
  readonly code: string;
  readonly errors?: FieldErrors;
}
