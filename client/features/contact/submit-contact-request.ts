import type { FormSignals } from '../../../shared/contact/contact-request.ts';
import { contactFieldNames, type ContactFields } from '../../../shared/contact/contact-schema.ts';
import { apiPaths } from '../../../shared/paths.ts';
import { getProperty, postForm, type FormResult } from '../forms/post-form.ts';

/**
 * Makes a version-4 UUID (RFC 9562). `crypto.randomUUID` exists in secure contexts only, and the
 * site also runs on plain http inside a company network.
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

/** One filled-in form on its way: the server takes the same id and content as one request. */
export interface SubmissionAttempt {
  readonly id: string;
  /** The fields as they are sent, to tell a retry from another request. */
  readonly content: string;
}

function describeContent(fields: ContactFields): string {
  return JSON.stringify(contactFieldNames.map((name) => fields[name]));
}

/** The attempt to send `fields` with: the one before if it had the same content, else a new one. */
export function continueAttempt(
  previous: SubmissionAttempt | null,
  fields: ContactFields,
  makeId: () => string = makeUuid,
): SubmissionAttempt {
  const content = describeContent(fields);

  return previous?.content === content ? previous : { id: makeId(), content };
}

/** Created, and a repeat of what was created before. */
const ACCEPTED: ReadonlySet<number> = new Set([201, 200]);

/** The id was used for another request. */
const ID_CONFLICT = 409;

/** What is sent: the fields, where the visit came from, and the form's own signals. */
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
      // Only who has read the request can repeat its id.
      isAccepted: (status, body) => ACCEPTED.has(status) && getProperty(body, 'id') === id,
    },
  );

/**
 * Sends a contact request. When its id is taken by another request, it is sent once more with a new
 * id, which `saveAttempt` gets first. Never rejects.
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
