/** Providers whose names are long enough that one wrong letter is a slip, and no other name. */
const PROVIDERS = ['gmail.com', 'googlemail.com', 'hotmail.com', 'outlook.com', 'yahoo.com', 'icloud.com', 'protonmail.com', 't-online.de'];

/** Providers that are one letter from one of those. */
const OTHERS = new Set(['mail.com', 'email.com', 'ymail.com']);

/** Whether two texts differ by one letter: another one, one too many or too few, or two in the wrong order. */
function isOneSlipApart(typed: string, meant: string): boolean {
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

/** The address that is probably meant, where the domain of a large provider is mistyped; else undefined. */
export function suggestAddress(email: string): string | undefined {
  const [name, domain, ...others] = email.trim().split('@');
  const typed = domain?.toLowerCase() ?? '';
  if (!name || typed === '' || others.length > 0 || OTHERS.has(typed) || PROVIDERS.includes(typed)) return undefined;
  const meant = PROVIDERS.find((provider) => isOneSlipApart(typed, provider));

  return meant && `${name}@${meant}`;
}
