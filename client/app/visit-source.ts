import { MAX_VISITED_PATHS } from '../../shared/contact/visited-paths.ts';
import type { SubmissionSource } from '../../shared/contact/submission-source.ts';
import { tryStorage } from './storage.ts';

const STORAGE_KEY = 'visit';

/** Returns the visit's source. Called on the first page of a visit. The server strips queries and tokens from paths. */
function readVisitSource(): SubmissionSource {
  const utmParameters = [...new URLSearchParams(location.search)].filter(([key]) => key.startsWith('utm_'));
  const { referrer } = document;
  const isExternal = URL.canParse(referrer) && new URL(referrer).origin !== location.origin;

  return {
    ...Object.fromEntries(utmParameters),
    ...(isExternal ? { referrer: new URL(referrer).hostname } : {}),
    landing_path: location.pathname,
  };
}

/** The visit's source and the pages visited since the last request. */
interface Visit {
  readonly source: SubmissionSource;
  readonly paths: readonly string[];
}

const readVisit = () => JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') as Visit | null;

function updatePaths(change: (paths: readonly string[]) => readonly string[]): void {
  tryStorage(() => {
    const { source, paths } = readVisit() ?? { source: readVisitSource(), paths: [] };
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ source, paths: change(paths) }));
  });
}

/** Adds a page to the visit unless it is already the latest one. The first call also stores the source. */
export const storeVisitedPath = (path: string): void =>
  updatePaths((paths) =>
    paths.at(-1) === path ? paths : [...paths, path].slice(-MAX_VISITED_PATHS),
  );

/** Clears the visited pages after they have been sent with a request. */
export const clearVisitedPaths = (): void => updatePaths(() => []);

/** Returns the visit's source and pages to send with a request, or undefined if storage is unavailable. */
export function loadVisitSource(): unknown {
  const visit = tryStorage(readVisit);

  return visit && { ...visit.source, visited_paths: visit.paths };
}
