import { setImmediate } from 'node:timers/promises';
import type { PageState } from '../../shared/page-state.ts';
import type { Site } from '../../shared/site.ts';
import { Second } from '../../shared/time.ts';
import { AppError } from '../http/errors.ts';
import { compressText, type CachedResponse } from '../http/response-cache.ts';
import type { RenderDocument } from '../ssr/render-document.ts';

/** How many milliseconds late the event loop may be before uncached pages are refused. */
const MAX_DELAY = 200;

/** Milliseconds between two samples: the resolution of the delay. */
const TICK = 20;

/** Milliseconds that overload lasts after a late turn, so that the backlog can be processed. */
const RECOVERY = Second / 2;

/** Consecutive late turns that indicate overload. One alone may be a garbage collection or a page's first rendering. */
const LATE_TURNS = 2;

/** Creates a monitor that detects overload earlier than under-pressure would (`tests/faults/load-shedding.test.ts`). */
export function createLoadMonitor() {
  let lastTurnAt = performance.now();
  let lateTurns = 0;
  let overloadedUntil = 0;
  const isLate = (now: number) => now - lastTurnAt > MAX_DELAY + TICK;

  setInterval(() => {
    const now = performance.now();
    lateTurns = isLate(now) ? lateTurns + 1 : 0;
    if (lateTurns >= LATE_TURNS) overloadedUntil = now + RECOVERY;
    lastTurnAt = now;
  }, TICK).unref();

  return {
    isOverloaded: (): boolean => {
      const now = performance.now();
      if (isLate(now)) overloadedUntil = now + RECOVERY;

      return now < overloadedUntil;
    },
  };
}

export type LoadMonitor = ReturnType<typeof createLoadMonitor>;

export const HTML_TYPE = 'text/html; charset=utf-8';

export type ServedPageState = Partial<Omit<PageState, 'site'>>;

export type PageRenderer = ReturnType<typeof createPageRenderer>;

/** Seconds after which a refused visitor should retry. */
const RETRY_AFTER_SECONDS = 5;

/** All unknown paths are rendered as this location, which matches no route. */
const NOT_FOUND_LOCATION = '/not-found';

const sharedState: Partial<PageState> = {};
const notFound: Partial<PageState> = { isNotFound: true };

/** Creates a renderer that caches public pages, except in development. Callers must pass only known locations. */
export function createPageRenderer(
  renderDocument: RenderDocument,
  site: Site,
  { cachesPages, load }: { readonly cachesPages: boolean; readonly load: LoadMonitor },
) {
  // Weak, so that an unused state's pages can be garbage-collected.
  const cachedByState = new WeakMap<Partial<PageState>, Map<string, Promise<CachedResponse>>>();

  const renderOnce = (location: string, state: Partial<PageState>): Promise<CachedResponse> => {
    const cache = cachedByState.get(state) ?? new Map<string, Promise<CachedResponse>>();
    cachedByState.set(state, cache);
    const cached = cache.get(location);
    if (cached) return cached;

    const page = renderDocument(location, { site, isNotFound: false, ...state }).then(compressText);
    if (cachesPages) cache.set(location, page);
    // A failed rendering is not cached. Its callers get the error.
    page.catch(() => cache.delete(location));

    return page;
  };

  return {
    /** Returns the page, cached by its location and the identity of its state. */
    renderCached: (location: string, state: Pick<PageState, 'insights'> = sharedState) => renderOnce(location, state),
    /** Returns the not-found page, cached once for all paths. */
    renderNotFound: () => renderOnce(NOT_FOUND_LOCATION, notFound),
    /** Renders a page. @throws AppError overloaded while the event loop is late */
    renderUncached: async (location: string, state: ServedPageState): Promise<string> => {
      // Otherwise, simultaneous requests would all pass this check before the first page is rendered.
      await setImmediate();
      if (load.isOverloaded()) {
        throw new AppError('overloaded', 'This page can’t be made right now. Please try again in a moment.', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      }

      return renderDocument(location, { site, isNotFound: false, ...state });
    },
  };
}
