/**
 * The score of MDN's HTTP Observatory, computed as its grader does (mdn/mdn-http-observatory, as
 * read in August 2026): 100 points, minus penalties, plus bonuses where the rest is at least 90.
 */

/** An answer as the Observatory looks at it. */
export interface ScannedAnswer {
  readonly url: string;
  readonly headers: Headers;
  readonly html: string;
}

export interface TestResult {
  readonly test: string;
  readonly result: string;
  readonly points: number;
  /** Scored since August 2026, maybe not by the scanner that is deployed. */
  readonly isNew?: true;
}

export interface Score {
  readonly tests: readonly TestResult[];
  readonly total: number;
  /** Without the bonuses that are new. */
  readonly sureTotal: number;
  readonly grade: string;
}

type Policy = ReadonlyMap<string, readonly string[]>;
type Judgement = readonly [result: string, points: number];

const BROAD = new Set(['*', 'data:', 'http:', 'https:', 'blob:', "'unsafe-inline'"]);
const HALF_A_YEAR = 15_768_000;

/** Directives of a content policy; undefined when there is none. */
function readPolicy(headers: Headers): Policy | undefined {
  const text = headers.get('content-security-policy');
  if (text === null) return undefined;

  return new Map(
    text
      .split(';')
      .map((directive) => directive.trim().split(/\s+/))
      .map(([name = '', ...sources]) => [name.toLowerCase(), sources] as const),
  );
}

const isHashed = (sources: readonly string[]) =>
  sources.some((source) => /^'(?:nonce-|sha(?:256|384|512)-)/.test(source));

function isBroad(sources: readonly string[] | undefined): boolean {
  return sources === undefined || (sources.some((source) => BROAD.has(source)) && !isHashed(sources));
}

function judgePolicy({ headers }: ScannedAnswer): Judgement {
  const policy = readPolicy(headers);
  if (!policy) return ['missing', -25];
  const fallback = policy.get('default-src');
  const script = policy.get('script-src') ?? fallback;
  const style = policy.get('style-src') ?? fallback;
  if (script?.includes("'strict-dynamic'") && !isHashed(script)) return ['invalid', -25];
  if (isBroad(script) || isBroad(policy.get('object-src') ?? fallback)) return ['unsafe', -20];
  if (script?.includes("'unsafe-eval'")) return ['unsafe-eval', -10];
  const sources = [...policy.values()].flat();
  if (sources.some((source) => source.startsWith('http:'))) return ['insecure sources', -10];
  if (isBroad(style)) return ['styles unsafe', 0];

  return fallback?.join() === "'none'" ? ["clean, default-src 'none'", 10] : ['clean', 5];
}

function judgeCookie(cookie: string): Judgement {
  const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim().toLowerCase());
  const isSession = /sess|login/.test(pair.split('=', 1)[0] ?? '');
  const sameSite = attributes.find((attribute) => attribute.startsWith('samesite='));
  if (!attributes.includes('secure')) return ['not secure', isSession ? -40 : -20];
  if (isSession && !attributes.includes('httponly')) return ['session for scripts', -30];
  if (sameSite && !/=(?:lax|strict|none)$/.test(sameSite)) return ['same-site invalid', -20];

  return sameSite ? ['secure, same-site', 5] : ['secure', 0];
}

function judgeCookies({ headers }: ScannedAnswer): Judgement {
  const judged = headers.getSetCookie().map(judgeCookie);

  return judged.reduce((worst, next) => (next[1] < worst[1] ? next : worst), judged[0] ?? ['none', 0]);
}

/** For headers with one word: those that give the bonus, and those that are only allowed. */
const judgeWord =
  (name: string, good: readonly string[], allowed: readonly string[] = []) =>
  ({ headers }: ScannedAnswer): Judgement => {
    const value = headers.get(name)?.toLowerCase();
    if (value === undefined) return ['absent', 0];
    if (good.includes(value)) return [value, 10];

    return allowed.includes(value) ? [value, 0] : ['invalid', -5];
  };

function judgeSharing({ headers }: ScannedAnswer): Judgement {
  const isOpen = headers.get('access-control-allow-credentials') === 'true';

  return headers.has('access-control-allow-origin') && isOpen ? ['with credentials', -50] : ['none', 0];
}

const GOOD_REFERRERS = ['no-referrer', 'same-origin', 'strict-origin', 'strict-origin-when-cross-origin'];

function judgeReferrer({ headers }: ScannedAnswer): Judgement {
  const value = headers.get('referrer-policy');
  if (value === null) return ['absent', 0];

  return GOOD_REFERRERS.includes(value) ? [value, 5] : ['unsafe or invalid', -5];
}

function judgeTransport({ url, headers }: ScannedAnswer): Judgement {
  const value = headers.get('strict-transport-security') ?? '';
  const [, age] = /^max-age=(\d+)(?:; ?includeSubDomains)?(?:; ?preload)?$/i.exec(value) ?? [];
  if (!url.startsWith('https:')) return ['no https', -20];
  if (age === undefined) return ['missing, invalid or twice', -20];

  return Number(age) >= HALF_A_YEAR ? ['six months or more', 0] : ['too short', -10];
}

function judgeIntegrity({ url, html }: ScannedAnswer): Judgement {
  const scripts = [...html.matchAll(/<script\b[^>]*\ssrc="([^"]*)"[^>]*>/g)];
  const isOwn = (source: string) => new URL(source, url).origin === new URL(url).origin;
  if (scripts.some(([, source = '']) => /^http:/.test(source))) return ['over http', -50];
  if (scripts.some(([tag, source = '']) => !isOwn(source) && !tag.includes(' integrity='))) {
    return ['external without', -5];
  }
  if (scripts.some(([tag]) => tag.includes(' integrity="sha'))) return ['checked', 5];

  return [scripts.length === 0 ? 'no scripts' : 'own scripts only', 0];
}

function judgeFraming({ headers }: ScannedAnswer): Judgement {
  const ancestors = readPolicy(headers)?.get('frame-ancestors');
  if (ancestors && !isBroad(ancestors)) return ['by the content policy', 5];

  return /^(?:deny|sameorigin)$/i.test(headers.get('x-frame-options') ?? '')
    ? ['by x-frame-options', 0]
    : ['missing', -20];
}

/** The Observatory's twelfth test: where plain HTTP leads first. Undefined: not looked at. */
function judgeRedirection(url: string, firstHop: string | null | undefined): Judgement {
  if (firstHop === undefined) return ['not looked at', 0];
  if (firstHop === null) return ['plain HTTP answers by itself', -20];
  const hop = new URL(firstHop, url);
  if (hop.protocol !== 'https:') return ['not to https', -10];

  return hop.hostname === new URL(url).hostname ? ['to https, same host', 0] : ['to another host', -5];
}

const judges = {
  'content-security-policy': judgePolicy,
  cookies: judgeCookies,
  'cross-origin-embedder-policy': judgeWord(
    'cross-origin-embedder-policy',
    ['require-corp', 'credentialless'],
    ['unsafe-none'],
  ),
  'cross-origin-opener-policy': judgeWord(
    'cross-origin-opener-policy',
    ['same-origin', 'same-origin-allow-popups', 'noopener-allow-popups'],
    ['unsafe-none'],
  ),
  'cross-origin-resource-policy': judgeWord(
    'cross-origin-resource-policy',
    ['same-origin', 'same-site'],
    ['cross-origin'],
  ),
  'cross-origin-resource-sharing': judgeSharing,
  'referrer-policy': judgeReferrer,
  'strict-transport-security': judgeTransport,
  'subresource-integrity': judgeIntegrity,
  'x-content-type-options': ({ headers }: ScannedAnswer): Judgement =>
    headers.get('x-content-type-options') === 'nosniff' ? ['nosniff', 0] : ['missing', -5],
  'x-frame-options': judgeFraming,
} as const;

const newTests = new Set(['cross-origin-embedder-policy', 'cross-origin-opener-policy']);

const grades: ReadonlyArray<readonly [least: number, grade: string]> = [
  [100, 'A+'], [90, 'A'], [85, 'A-'], [80, 'B+'], [70, 'B'], [65, 'B-'],
  [60, 'C+'], [50, 'C'], [45, 'C-'], [40, 'D+'], [30, 'D'], [25, 'D-'],
];

function addUp(tests: readonly TestResult[]): number {
  const sum = (points: readonly number[]) => points.reduce((total, next) => total + next, 0);
  const penalised = 100 + sum(tests.map(({ points }) => Math.min(0, points)));
  const bonus = penalised >= 90 ? sum(tests.map(({ points }) => Math.max(0, points))) : 0;

  return Math.max(0, penalised + bonus);
}

/**
 * Scores one answer.
 * @param firstHop where plain HTTP redirects first, null where it doesn't; undefined: not looked at
 */
export function scoreAnswer(answer: ScannedAnswer, firstHop?: string | null): Score {
  const [redirection, points] = judgeRedirection(answer.url, firstHop);
  const tests: TestResult[] = [
    ...Object.entries(judges).map(([test, judge]) => {
      const [result, given] = judge(answer);

      return { test, result, points: given, ...(newTests.has(test) ? { isNew: true as const } : {}) };
    }),
    { test: 'redirection', result: redirection, points },
  ];
  const total = addUp(tests);

  return {
    tests,
    total,
    sureTotal: addUp(tests.filter(({ isNew, points: given }) => !isNew || given < 0)),
    grade: grades.find(([least]) => total >= least)?.[1] ?? 'F',
  };
}

/** A `fetch` of an address. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Scans a page as the Observatory does: one request to it, and one to the same host by plain HTTP.
 * @param url of the page, https
 * @param get trusts the server's certificate
 * @param plainUrl the same page by plain HTTP; undefined: not looked at
 */
export async function scanPage(url: string, get: Fetch, plainUrl?: string): Promise<Score> {
  const answer = await get(url, { redirect: 'manual' });
  const html = await answer.text();
  const plain = plainUrl === undefined ? undefined : await get(plainUrl, { redirect: 'manual' });

  return scoreAnswer({ url, headers: answer.headers, html }, plain && plain.headers.get('location'));
}

/** The score as a table for people. */
export function describeScore({ tests, total, sureTotal, grade }: Score): string {
  const rows = tests.map(
    ({ test, result, points, isNew }) =>
      `  ${test.padEnd(30)} ${String(points).padStart(4)}  ${result}${isNew ? ' (new)' : ''}`,
  );

  return [...rows, `  ${grade}, ${total} (${sureTotal} without what is new)`].join('\n');
}
