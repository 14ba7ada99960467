import type { PageState } from '../../shared/rendering.ts';
import type { Site } from '../../shared/site.ts';
import { AppError } from '../http/errors.ts';
import { compressText, type CachedResponse } from '../http/response-cache.ts';
import type { LoadMonitor } from '../http/load-monitor.ts';
import type { RenderDocument } from './render-document.ts';

/** What a page for one visitor shows beside what everyone sees. */
export type OwnPageState = Partial<Omit<PageState, 'site'>>;

export interface PageRenderer {
  /**
   * The same for everyone, or for everyone with the same state: rendered once, then kept in memory
   * under its location and that very state.
   */
  readonly renderCached: (
    location: string,
    state?: Pick<PageState, 'insights'>,
  ) => Promise<CachedResponse>;
  /** The not-found page; one for all paths, so that unknown paths fill no memory. */
  readonly renderNotFound: () => Promise<CachedResponse>;
  /**
   * For one visitor: rendered anew and never kept.
   * @throws AppError overloaded, while the event loop is late
   */
  readonly renderUncached: (location: string, state: OwnPageState) => Promise<string>;
}

/** Seconds until one who was refused should come again. */
const RETRY_AFTER_SECONDS = 5;

function refuseWhenOverloaded(load: LoadMonitor): void {
  if (!load.isOverloaded()) return;

  throw new AppError('overloaded', 'This page can’t be made right now. Please try again in a moment.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** A location no route matches: what all unknown paths are rendered as. */
const NOT_FOUND_LOCATION = '/not-found';

const forEveryone: Partial<PageState> = {};
const notFound: Partial<PageState> = { isNotFound: true };

/**
 * Renders pages and keeps the public ones. Callers pass only locations of pages that exist with
 * query values the site knows, so what is kept is bounded by the site itself.
 * @param options `cachesPages` is false while developing: the next request shows the next state of the
 *   source
 */
export function createPageRenderer(
  renderDocument: RenderDocument,
  site: Site,
  { cachesPages, load }: { readonly cachesPages: boolean; readonly load: LoadMonitor },
): PageRenderer {
  const cachedByState = new Map<object, Map<string, Promise<CachedResponse>>>();

  const keep = (location: string, state: Partial<PageState>): Promise<CachedResponse> => {
    const kept = cachedByState.get(state) ?? new Map<string, Promise<CachedResponse>>();
    cachedByState.set(state, kept);
    const known = kept.get(location);
    if (known) return known;

    const page = renderDocument(location, { site, isNotFound: false, ...state }).then(compressText);
    if (cachesPages) kept.set(location, page);
    // A failed rendering is not worth keeping; who asked for it gets the error.
    page.catch(() => kept.delete(location));

    return page;
  };

  return {
    renderCached: (location, state = forEveryone) => keep(location, state),
    renderNotFound: () => keep(NOT_FOUND_LOCATION, notFound),
    renderUncached: async (location, state) => {
      refuseWhenOverloaded(load);

      return renderDocument(location, { site, isNotFound: false, ...state });
    },
  };
}
