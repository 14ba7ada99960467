import type { FieldErrors } from '../../../shared/problem.ts';
import { Second } from '../../../shared/time.ts';

/** What a server response means for the form. */
type FormResponse =
  | { readonly kind: 'accepted' }
  /** Every error is for one of the form's fields. */
  | { readonly kind: 'invalid'; readonly errors: FieldErrors }
  /** The server rejected the request. `detail` is the message for the visitor. */
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string };

const INVALID = 400;

/** How a form interprets responses. */
export interface FormContract {
  /** The fields that can show an error. */
  readonly fieldNames: readonly string[];
  /** Returns whether our server accepted the values. A proxy or Wi-Fi portal may have responded instead. */
  readonly isAccepted: (status: number, body: unknown) => boolean;
}

/** Returns a property of the body, which may have any shape if a proxy sent it. */
export function getProperty(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null
    ? (body as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

const isSentence = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns the parsed body, or undefined if it isn't JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the response's message for the visitor, or a generic one. */
function parseDetail(status: number, body: unknown): string {
  const detail = getProperty(body, 'detail');

  return isSentence(detail)
    ? detail
    : `The server’s answer can’t be read (status ${status}). Please try again in a moment.`;
}

function isFieldErrors(value: unknown): value is FieldErrors {
  return typeof value === 'object' && value !== null && Object.values(value).every(isSentence);
}

/** Returns the errors by field, or a refusal if the form can't show them all. Undefined if there are none. */
function parseFieldErrors(body: unknown, fieldNames: readonly string[]): FormResponse | undefined {
  const errors = getProperty(body, 'errors');
  if (!isFieldErrors(errors)) return undefined;

  const hidden = Object.keys(errors).filter((name) => !fieldNames.includes(name));
  if (hidden.length > 0) {
    const detail = hidden.map((name) => errors[name]).join(' ');

    return { kind: 'refused', status: INVALID, detail };
  }

  return Object.keys(errors).length > 0 ? { kind: 'invalid', errors } : undefined;
}

/** Parses the response to a form sent as JSON. The response may come from a proxy. */
export function parseFormResponse(
  status: number,
  text: string,
  { fieldNames, isAccepted }: FormContract,
): FormResponse {
  const body = parseJson(text);
  if (isAccepted(status, body)) return { kind: 'accepted' };

  const invalid = status === INVALID ? parseFieldErrors(body, fieldNames) : undefined;

  return invalid ?? { kind: 'refused', status, detail: parseDetail(status, body) };
}

export type FormResult =
  | FormResponse
  /** No response arrived. The server may or may not have received the values. */
  | { readonly kind: 'no-response'; readonly message: string };

const TIMEOUT = 20 * Second;

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') {
    const seconds = TIMEOUT / Second;

    return `the server didn’t answer within ${seconds} seconds. Your input is still here. Please try again.`;
  }

  return error.message || error.name;
}

/** Sends a form's values as JSON. Never rejects. */
export async function postForm(
  path: string,
  values: object,
  contract: FormContract,
): Promise<FormResult> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(values),
      signal: AbortSignal.timeout(TIMEOUT),
    });

    return parseFormResponse(response.status, await response.text(), contract);
  } catch (error) {
    return { kind: 'no-response', message: describeFailure(error) };
  }
}
