import { MAX_VISITED_PATHS } from '../../shared/contact/visited-paths.ts';
import type { SubmissionSource } from '../../shared/contact/submission-source.ts';
import { tryStorage } from './storage.ts';

const STORAGE_KEY = 'visit';

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

/** What is stored about the visit: where it came from, and the pages since the last request. */
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

/** Adds a page to those of this visit, unless it is the one before; the first one has its source. */
export const storeVisitedPath = (path: string): void =>
  updatePaths((paths) =>
    paths.at(-1) === path ? paths : [...paths, path].slice(-MAX_VISITED_PATHS),
  );

/** Clears the pages of this visit, once they are sent. */
export const clearVisitedPaths = (): void => updatePaths(() => []);

/** What is sent about the visit; undefined without a working storage. */
export function loadVisitSource(): unknown {
  const visit = tryStorage(readVisit);

  return visit && { ...visit.source, visited_paths: visit.paths };
}
