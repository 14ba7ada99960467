import * as v from 'valibot';
import { Refusal, type CrmResponse, type LoggedRequest } from './fake-crm.ts';

/** A request a route has taken: its query and the named parts of its path, decoded. */
export interface RoutedRequest extends LoggedRequest {
  readonly query: URLSearchParams;
  readonly parts: Readonly<Record<string, string>>;
}

export interface CrmRoute {
  readonly method: string;
  /** Tested against the whole path without its query. */
  readonly path: RegExp;
  readonly handle: (request: RoutedRequest) => CrmResponse;
}

/**
 * Calls the route of this method and path.
 * @throws Refusal with `missing` (no such path) or `wrongMethod`
 */
export function followRoute(
  routes: readonly CrmRoute[],
  request: LoggedRequest,
  refusals: { readonly missing: CrmResponse; readonly wrongMethod: CrmResponse },
): CrmResponse {
  const { pathname, searchParams } = new URL(request.path, 'http://fake');
  const known = routes.filter(({ path }) => path.test(pathname));
  const route = known.find(({ method }) => method === request.method);
  if (known.length === 0) throw new Refusal(refusals.missing);
  if (route === undefined) throw new Refusal(refusals.wrongMethod);
  const groups = Object.entries(route.path.exec(pathname)?.groups ?? {});
  const parts = Object.fromEntries(groups.map(([name, part]) => [name, decodeURIComponent(part)]));

  return route.handle({ ...request, query: searchParams, parts });
}

/** The media type of a body, without its parameters. */
export function readMediaType({ headers }: LoggedRequest): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/**
 * Reads a body as JSON of the given shape.
 * @throws Refusal with what `refuse` makes of the first fault
 */
export function readJson<const Schema extends v.GenericSchema>(
  { body }: LoggedRequest,
  schema: Schema,
  refuse: (reason: string, field: string) => CrmResponse,
): v.InferOutput<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Refusal(refuse('The body is not JSON.', ''));
  }
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;

  throw new Refusal(refuse(issue.message, v.getDotPath(issue) ?? ''));
}

/** A rolling window; both values are small in tests. */
export interface RateLimit {
  readonly calls: number;
  readonly windowMs: number;
}

export interface RateState {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Until the next call is allowed, 0 when it is now. */
  readonly waitMs: number;
}

/** Counts a call, unless the window is full. */
export function makeRateCounter({ calls, windowMs }: RateLimit): () => RateState {
  const taken: number[] = [];

  return () => {
    const now = Date.now();
    while (taken[0] !== undefined && taken[0] <= now - windowMs) taken.shift();
    const allowed = taken.length < calls;
    if (allowed) taken.push(now);
    const remaining = calls - taken.length;

    return { allowed, remaining, waitMs: remaining > 0 ? 0 : (taken[0] ?? now) + windowMs - now };
  };
}
