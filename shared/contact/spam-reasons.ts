import type { ContactFields } from './contact-schema.ts';
import { hasLinkInName, hasManyLinks } from './spam-doubts.ts';

function describeLinks({ name, message }: Pick<ContactFields, 'name' | 'message'>): string[] {
  const found = [
    ...(hasLinkInName(name) ? ['link in the name'] : []),
    ...(hasManyLinks(message) ? ['three links or more in the message'] : []),
  ];

  // Held by a rule that has changed since.
  return found.length === 0 ? ['links'] : found;
}

/**
 * Why a request is held, in words for people.
 * @param reasons as they are stored, `honeypot,links`; a word that is not known here is shown as it is
 */
export function describeSpamReasons(
  reasons: string | null,
  fields: Pick<ContactFields, 'name' | 'message'>,
): string[] {
  return (reasons ?? '').split(',').flatMap((reason) => {
    if (reason === 'honeypot') return ['hidden field filled in'];
    if (reason === 'too-fast') return ['sent within two seconds'];

    return reason === 'links' ? describeLinks(fields) : reason || [];
  });
}
