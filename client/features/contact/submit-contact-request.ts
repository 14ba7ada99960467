import type { FormSignals } from '../../../shared/contact/contact-request.ts';
import { contactFieldNames, type ContactFields } from '../../../shared/contact/contact-schema.ts';
import { apiPaths } from '../../../shared/paths.ts';
import { getProperty, postForm, type FormResult } from '../forms/post-form.ts';

/**
 * Returns a version-4 UUID (RFC 9562). `crypto.randomUUID` needs a secure context, but the site may run on plain HTTP
 * inside a company network.
 */
export function makeUuid(
  bytes: Uint8Array = crypto.getRandomValues(new Uint8Array(16)),
): string {
  const hex = Array.from(bytes, (byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40;
    if (index === 8) return (byte & 0x3f) | 0x80;

    return byte;
  })
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Identifies a submission across retries. The server stores the same id and content only once. */
export interface SubmissionAttempt {
  readonly id: string;
  /** The serialized fields, to distinguish a retry from a new request. */
  readonly content: string;
}

function describeContent(fields: ContactFields): string {
  return JSON.stringify(contactFieldNames.map((name) => fields[name]));
}

/** Returns the previous attempt if its content is the same, otherwise a new one. */
export function continueAttempt(
  previous: SubmissionAttempt | null,
  fields: ContactFields,
  makeId: () => string = makeUuid,
): SubmissionAttempt {
  const content = describeContent(fields);

  return previous?.content === content ? previous : { id: makeId(), content };
}

/** 201: created. 200: repeat of an earlier request. */
const ACCEPTED: ReadonlySet<number> = new Set([201, 200]);

/** The id belongs to another request. */
const ID_CONFLICT = 409;

/** The fields, the visit's source and spam signals. */
interface OutgoingRequest {
  readonly fields: ContactFields;
  readonly about: { readonly source: unknown; readonly spam: FormSignals };
}

const post = ({ fields, about }: OutgoingRequest, id: string) =>
  postForm(
    apiPaths.contactSubmissions,
    { id, ...fields, submitted_at: new Date().toISOString(), ...about },
    {
      fieldNames: contactFieldNames,
      // A proxy's response doesn't contain the id.
      isAccepted: (status, body) => ACCEPTED.has(status) && getProperty(body, 'id') === id,
    },
  );

/**
 * Sends a contact request. If its id is taken, retries once with a new id after passing it to `saveAttempt`. Never
 * rejects.
 */
export async function submitContactRequest(
  request: OutgoingRequest,
  attempt: SubmissionAttempt,
  saveAttempt: (attempt: SubmissionAttempt) => void,
): Promise<FormResult> {
  const result = await post(request, attempt.id);
  if (result.kind !== 'refused' || result.status !== ID_CONFLICT) return result;
  const id = makeUuid();
  saveAttempt({ ...attempt, id });

  return post(request, id);
}
