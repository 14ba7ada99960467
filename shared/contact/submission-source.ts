import { routePatterns } from '../paths.ts';
import { TOO_MANY_COMBINING_MARKS } from './contact-schema.ts';
import { MAX_VISITED_PATHS } from './visited-paths.ts';

/** A visit's source as stored: `utm_*`, `referrer` and `landing_path`. */
export type SubmissionSource = Readonly<Record<string, string>>;

/** Labels for the known parts of a source, in display order. */
export const sourceLabels = {
  utm_source: 'Campaign source',
  utm_medium: 'Campaign medium',
  utm_campaign: 'Campaign',
  utm_term: 'Campaign term',
  utm_content: 'Campaign content',
  referrer: 'Referring site',
  landing_path: 'First page of the visit',
} as const;

type SourceName = keyof typeof sourceLabels;

export const sourceNames = Object.keys(sourceLabels) as SourceName[];

const UTM_KEY = /^utm_[a-z0-9_]{1,30}$/;
const NOT_STORABLE = /[\p{Cc}\p{Cs}]/u;
const MAX_KEYS = 12;
const MAX_VALUE = 500;

/** A URL or a bare host. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#@\s]*@)?([a-z0-9._-]+)(?::\d+)?(?:[/?#]|$)/i;
/** A path up to its query or anchor. */
const PATH = /^\/(?![/\\])[^?#\s]*/;

/** Paths that end in a secret token, up to the token. */
const tokenPaths = Object.values(routePatterns)
  .filter((pattern) => pattern.endsWith('/:token'))
  .map((pattern) => pattern.slice(0, -':token'.length));

const isUsable = (value: string) => !NOT_STORABLE.test(value) && !TOO_MANY_COMBINING_MARKS.test(value);

/** Returns a referrer's host, or ''. */
function reduceReferrer(value: string): string {
  return ADDRESS.exec(value)?.[1]?.toLowerCase() ?? '';
}

/** Returns a path without its query and token, or ''. */
export function reducePath(value: string): string {
  const path = PATH.exec(value)?.[0] ?? '';
  const secret = tokenPaths.find((start) => path.startsWith(start));

  return secret === undefined ? path : secret.slice(0, -1);
}

/**
 * Returns the last twenty visited paths from a request's source, in order, without queries and tokens. Null if there
 * are none.
 */
export function pickVisitedPaths(input: unknown): readonly string[] | null {
  const { visited_paths: given } = Object(input) as { visited_paths?: unknown };
  if (!Array.isArray(given)) return null;
  const paths = given
    .slice(-MAX_VISITED_PATHS)
    .filter((path: unknown) => typeof path === 'string')
    .filter(isUsable)
    .map((path) => reducePath(path.trim().normalize('NFC')))
    .filter((path) => path !== '' && path.length <= MAX_VALUE);

  return paths.length === 0 ? null : paths;
}

function reduceValue(key: string, value: string): string {
  if (key === 'referrer') return reduceReferrer(value);
  if (key === 'landing_path') return reducePath(value);

  return UTM_KEY.test(key) ? value : '';
}

/**
 * Returns the valid parts of a visit's source. Invalid parts are dropped, because a lead matters more than its campaign
 * label.
 */
export function pickSource(input: unknown): SubmissionSource | null {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null;

  const known = Object.entries(input)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .filter(([, value]) => isUsable(value))
    .map(([key, value]) => [key, reduceValue(key, value.trim().normalize('NFC'))] as const)
    .filter(([, value]) => value !== '' && value.length <= MAX_VALUE)
    .slice(0, MAX_KEYS);

  return known.length === 0 ? null : Object.fromEntries(known);
}
