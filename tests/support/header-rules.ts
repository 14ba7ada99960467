/** Headers as the client received them: names in any case, and repeated headers separately. */
export type HeaderPairs = ReadonlyArray<readonly [name: string, value: string]>;

/** A page has its own content policy. A tool is a page for sales, with no speculation rules. */
export type ResponseKind = 'page' | 'tool' | 'other';

const CLOSED =
  "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
const PAGE = new RegExp(
  [
    "^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[\\w+/]{43}='; img-src 'self'",
    "font-src 'self'; media-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'",
    "base-uri 'none'; object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    "trusted-types 'none'(?:; upgrade-insecure-requests)?$",
  ].join('; '),
);

/** Every response has each of these headers once, with this value. */
const everywhere: Readonly<Record<string, string | RegExp>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy':
    /^(?=.*browsing-topics=\(\))(?=.*camera=\(\))(?=.*geolocation=\(\))(?=.*microphone=\(\))(?=.*payment=\(\))(?=.*usb=\(\))[a-z-]+=\(\)(?:, [a-z-]+=\(\))*$/,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'x-frame-options': 'DENY',
};

/** Headers that describe the server, allow other origins, or make old browsers less secure. */
const FORBIDDEN = [
  'server',
  'via',
  'x-powered-by',
  'x-xss-protection',
  'access-control-allow-origin',
  'content-security-policy-report-only',
];

export interface ExpectedHeaders {
  readonly kind: ResponseKind;
  readonly isHttps: boolean;
  /** The HSTS header's value with HTTPS. The default is the value without HSTS_SUBDOMAINS. */
  readonly hsts?: string;
}

/**
 * Compares a response's headers with those that every response must have.
 * @returns a line for each header that is missing, repeated, different or forbidden
 */
export function listHeaderErrors(
  pairs: HeaderPairs,
  { kind, isHttps, hsts = 'max-age=63072000' }: ExpectedHeaders,
): string[] {
  const find = (name: string) =>
    pairs.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
  const expected = {
    ...everywhere,
    'content-security-policy': kind === 'other' ? CLOSED : PAGE,
    ...(kind === 'page' ? { 'speculation-rules': '"/speculation-rules.json"' } : {}),
    ...(isHttps ? { 'strict-transport-security': hsts } : {}),
  };
  const wrong = Object.entries(expected).flatMap(([name, wanted]) => {
    const values = find(name);
    const [value = ''] = values;
    const isRight = typeof wanted === 'string' ? value === wanted : wanted.test(value);

    return values.length === 1 && isRight ? [] : [`${name}: ${values.join(' | ') || 'missing'}`];
  });
  const unexpected = [...FORBIDDEN, ...(kind === 'page' ? [] : ['speculation-rules']), ...(isHttps ? [] : ['strict-transport-security'])].flatMap((name) =>
    find(name).map((value) => `${name} must not be sent: ${value}`),
  );

  return [...wrong, ...unexpected];
}
