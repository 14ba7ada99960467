import { contactFieldNames, type FieldErrors } from '../../../shared/contact/contact-schema.ts';

/** What the server's answer means for the form. */
export type SubmissionAnswer =
  | { readonly kind: 'accepted' }
  /** Every fault has its field in the form. */
  | { readonly kind: 'invalid'; readonly errors: FieldErrors }
  /** The id was used for another request. */
  | { readonly kind: 'id-conflict'; readonly detail: string }
  | { readonly kind: 'refused'; readonly detail: string };

const visibleFields: ReadonlySet<string> = new Set(contactFieldNames);

/** A part of the body; proxies answer in other shapes than ours. */
function getPart(body: unknown, name: string): unknown {
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
function readFaults(body: unknown): SubmissionAnswer | undefined {
  const errors = getPart(body, 'errors');
  if (!isFieldErrors(errors)) return undefined;

  const homeless = Object.keys(errors).filter((name) => !visibleFields.has(name));
  if (homeless.length > 0) {
    return { kind: 'refused', detail: homeless.map((name) => errors[name]).join(' ') };
  }

  return Object.keys(errors).length > 0 ? { kind: 'invalid', errors } : undefined;
}

/** Reads an answer to `POST /api/contact-submissions`, whoever wrote it: proxies answer too. */
export function readSubmissionAnswer(status: number, text: string): SubmissionAnswer {
  const body = parseJson(text);

  // A 200 without JSON is the page of a proxy or a Wi-Fi portal: the request is not stored.
  if (status === 201 || (status === 200 && body !== undefined)) return { kind: 'accepted' };
  if (status === 409) return { kind: 'id-conflict', detail: readDetail(status, body) };

  return readFaults(body) ?? { kind: 'refused', detail: readDetail(status, body) };
}
