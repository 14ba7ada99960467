import { apiPaths } from '../../../shared/paths.ts';
import type { Problem } from '../../../shared/problem.ts';
import type { InsightsState } from '../../../shared/rendering.ts';
import { Second } from '../../../shared/time.ts';

/** Longer than the longest delay the server puts before a password is looked at. */
const TIME_LIMIT = 30 * Second;

const NO_ANSWER = 'No answer came. Please check your connection and try again.';

/** A call's outcome; `detail` is a sentence for the visitor. */
export type CallResult<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  /** The server answered: not with this password, or not now. */
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  | { readonly kind: 'unanswered'; readonly detail: string };

async function readDetail(response: Response): Promise<string> {
  const problem = (await response.json()) as Partial<Problem>;

  return problem.detail ?? NO_ANSWER;
}

/** Never rejects. */
async function call<Value>(
  path: string,
  request: RequestInit,
  read: (response: Response) => Promise<Value>,
): Promise<CallResult<Value>> {
  try {
    const response = await fetch(path, { ...request, signal: AbortSignal.timeout(TIME_LIMIT) });
    if (response.ok) return { kind: 'done', value: await read(response) };

    return { kind: 'refused', status: response.status, detail: await readDetail(response) };
  } catch {
    // No answer, or one that is not ours: a proxy's or a Wi-Fi portal's page.
    return { kind: 'unanswered', detail: NO_ANSWER };
  }
}

/** Asks for the listing; refused with 401 while it is locked. */
export function fetchListing(): Promise<CallResult<InsightsState>> {
  return call(
    apiPaths.insightsArticles,
    {},
    (response) => response.json() as Promise<InsightsState>,
  );
}

export function sendPassword(password: string): Promise<CallResult<void>> {
  return call(
    apiPaths.insightsSession,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    },
    () => Promise.resolve(),
  );
}

export function endSession(): Promise<CallResult<void>> {
  return call(apiPaths.insightsSession, { method: 'DELETE' }, () => Promise.resolve());
}
