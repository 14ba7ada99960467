import type { SubmissionSource } from '../../shared/contact/submission-source.ts';

const STORAGE_KEY = 'visit_source';

/** What the first page of a visit knows; the server reduces it to what is kept. */
function readVisitSource(): SubmissionSource {
  const labels = [...new URLSearchParams(location.search)].filter(([key]) => key.startsWith('utm_'));
  const { referrer } = document;
  const isForeign = URL.canParse(referrer) && new URL(referrer).origin !== location.origin;

  return {
    ...Object.fromEntries(labels),
    ...(isForeign ? { referrer: new URL(referrer).hostname } : {}),
    landing_path: location.pathname,
  };
}

/** Keeps where the visit came from; on its later pages does nothing. */
export function rememberVisitSource(): void {
  try {
    if (sessionStorage.getItem(STORAGE_KEY) !== null) return;
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(readVisitSource()));
  } catch {
    // Storage that is forbidden or full: the visit stays without a source.
  }
}

/** Where the visit came from, as kept; undefined when the browser keeps nothing. */
export function recallVisitSource(): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
