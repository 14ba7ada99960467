import type { SubmissionSource } from '../../shared/contact/submission-source.ts';

const STORAGE_KEY = 'visit_source';

/** The source as the first page of a visit sees it; the server reduces it before it is stored. */
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

/** Stores where the visit came from; on its later pages does nothing. */
export function storeVisitSource(): void {
  try {
    if (sessionStorage.getItem(STORAGE_KEY) !== null) return;
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(readVisitSource()));
  } catch {
    // Storage that is forbidden or full: the visit stays without a source.
  }
}

/** The stored source of the visit; undefined without a working storage. */
export function loadVisitSource(): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
