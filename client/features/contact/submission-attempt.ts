import { contactFieldNames, type ContactFields } from '../../../shared/contact/contact-schema.ts';
import { makeUuid } from './make-uuid.ts';

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
