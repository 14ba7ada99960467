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

const words: Readonly<Record<string, string>> = {
  honeypot: 'hidden field filled in',
  'too-fast': 'sent within two seconds',
  'network-rate': 'many requests from the same network',
  'total-rate': 'many requests at the same time',
};

/**
 * Why a request is held, in words for people.
 * @param reasons as they are stored, `honeypot,links`; a word that is not known here is shown as it is
 */
export function describeSpamReasons(
  reasons: string | null,
  fields: Pick<ContactFields, 'name' | 'message'>,
): string[] {
  return (reasons ?? '').split(',').flatMap((reason) => {
    if (reason === 'links') return describeLinks(fields);

    return words[reason] ?? (reason || []);
  });
}
