/** Mail providers with names so long that a one-letter difference must be a typo. */
const PROVIDERS = ['gmail.com', 'googlemail.com', 'hotmail.com', 'outlook.com', 'yahoo.com', 'icloud.com', 'protonmail.com', 't-online.de'];

/** Real providers that differ by one letter from a provider above. */
const OTHERS = new Set(['mail.com', 'email.com', 'ymail.com']);

/** Returns whether two texts differ by one typo: a letter replaced, added, missing or swapped with its neighbor. */
function differsByOneTypo(typed: string, meant: string): boolean {
  let start = 0;
  while (start < typed.length && typed[start] === meant[start]) start += 1;
  const [rest, wanted] = [typed.slice(start), meant.slice(start)];

  return (
    rest.slice(1) === wanted.slice(1) ||
    rest.slice(1) === wanted ||
    rest === wanted.slice(1) ||
    rest.slice(0, 2) + wanted.slice(2) === rest && rest[0] === wanted[1] && rest[1] === wanted[0]
  );
}

/** Returns the probable address if a large provider's domain is misspelled, otherwise undefined. */
export function suggestAddress(email: string): string | undefined {
  const [name, domain, ...others] = email.trim().split('@');
  const typed = domain?.toLowerCase() ?? '';
  if (!name || typed === '' || others.length > 0 || OTHERS.has(typed) || PROVIDERS.includes(typed)) return undefined;
  const meant = PROVIDERS.find((provider) => differsByOneTypo(typed, provider));

  return meant && `${name}@${meant}`;
}
