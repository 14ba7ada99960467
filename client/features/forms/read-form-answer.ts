import type { FieldErrors } from '../../../shared/contact/contact-schema.ts';

/** What the server's answer means for the form. */
export type FormAnswer =
  | { readonly kind: 'accepted'; readonly wantsProof?: boolean }
  /** Every fault has its field in the form. */
  | { readonly kind: 'invalid'; readonly errors: FieldErrors }
  /** The server said no; `detail` is its sentence for the visitor. */
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string };

const INVALID = 400;

/** A form's own part in reading its answers. */
export interface FormContract {
  /** The fields that have room for a message. */
  readonly fieldNames: readonly string[];
  /** Whether this is our server's word that it has what was sent: proxies and Wi-Fi portals answer too. */
  readonly isAccepted: (status: number, body: unknown) => boolean;
}

/** A part of the body; proxies answer in other shapes than ours. */
export function getPart(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null
    ? (body as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

const isSentence = (value: unknown): value is string => typeof value === 'string' && value !== '';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readDetail(status: number, body: unknown): string {
  const detail = getPart(body, 'detail');

  return isSentence(detail)
    ? detail
    : `The server’s answer can’t be read (status ${status}). Please try again in a moment.`;
}

function isFieldErrors(value: unknown): value is FieldErrors {
  return typeof value === 'object' && value !== null && Object.values(value).every(isSentence);
}

/** Faults by field; undefined when there are none that the form can show. */
function readFaults(body: unknown, fieldNames: readonly string[]): FormAnswer | undefined {
  const errors = getPart(body, 'errors');
  if (!isFieldErrors(errors)) return undefined;

  const homeless = Object.keys(errors).filter((name) => !fieldNames.includes(name));
  if (homeless.length > 0) {
    const detail = homeless.map((name) => errors[name]).join(' ');

    return { kind: 'refused', status: INVALID, detail };
  }

  return Object.keys(errors).length > 0 ? { kind: 'invalid', errors } : undefined;
}

/** Reads an answer to a form that was sent as JSON, whoever wrote it. */
export function readFormAnswer(
  status: number,
  text: string,
  { fieldNames, isAccepted }: FormContract,
): FormAnswer {
  const body = parseJson(text);
  if (isAccepted(status, body)) return { kind: 'accepted' };

  const faults = status === INVALID ? readFaults(body, fieldNames) : undefined;

  return faults ?? { kind: 'refused', status, detail: readDetail(status, body) };
}
