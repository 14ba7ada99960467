import { readPageData } from './app/page-data.ts';
import { tryStorage } from './app/storage.ts';
import { storeVisitedPath } from './app/visit-source.ts';
import { prefersReducedData } from './app/hydration-triggers.ts';

/** Interactive elements. Pointer, focus and input events on them trigger hydration. */
const CONTROLS = 'a, button, summary, label, input, select, textarea';
/** Distance from the viewport at which an element triggers hydration: one screen height. */
const NEAR = '100% 0px';

/**
 * Fetches a script into the cache. In Firefox and Safari a failed `import` or `modulepreload` can't be retried in the
 * same document.
 */
async function fetchScript(url: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} has status ${response.status}.`);
  await response.arrayBuffer();
}

let hydration: Promise<void> | undefined;

/** Fetches all scripts in parallel and hydrates the page. */
async function hydrate(): Promise<void> {
  const data = readPageData();
  await Promise.all(data.scripts.map(fetchScript));
  const { hydratePage } = await import('./app/hydrate-page.tsx');
  await hydratePage(data);
}

/** Hydrates the page once. After a network error the page keeps working without React, and the next trigger retries. */
function startHydration(): void {
  hydration ??= hydrate().catch((error: unknown) => {
    reportError(error);
    hydration = undefined;
  });
}

const isControl = ({ target }: Event) => target instanceof Element && target.closest(CONTROLS) !== null;

/**
 * Hydrates on pointer, focus and input events on a control. On touch screens, `pointerover` fires on tap. A field
 * may already have focus before this script runs.
 */
function listenForIntent(): void {
  if (document.activeElement?.matches(CONTROLS)) startHydration();
  for (const type of ['pointerover', 'focusin', 'input'] as const) {
    document.addEventListener(type, (event) => isControl(event) && startHydration(), { passive: true });
  }
  document.addEventListener('keydown', startHydration, { passive: true });
}

function findElements(attribute: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(`[${attribute}]`)];
}

const isStored = (key: string) =>
  tryStorage(() => (sessionStorage.getItem(key) ?? localStorage.getItem(key)) !== null) ?? false;

function watchMedia(query: string): void {
  if (prefersReducedData()) return;
  const list = matchMedia(query);
  if (list.matches) startHydration();
  else list.addEventListener('change', startHydration, { once: true });
}

const hasFailed = (picture: HTMLImageElement) => picture.complete && picture.currentSrc !== '' && picture.naturalWidth === 0;

/** Hydrates if a picture fails to load, so that React replaces it with a placeholder. */
function watchPictures(): void {
  if ([...document.images].some(hasFailed)) startHydration();
  // Error events of images don't bubble.
  document.addEventListener('error', ({ target }) => target instanceof HTMLImageElement && startHydration(), { capture: true });
}

/** Hydrates the page for elements with an attribute from `hydration-triggers.ts`. */
function watchTriggers(): void {
  const observer = new IntersectionObserver(
    (entries) => entries.some(({ isIntersecting }) => isIntersecting) && startHydration(),
    { rootMargin: NEAR },
  );
  findElements('data-hydrate-near').forEach((element) => observer.observe(element));
  findElements('data-hydrate-media').forEach(({ dataset }) => watchMedia(dataset['hydrateMedia'] ?? ''));
  const keys = findElements('data-hydrate-stored').flatMap(({ dataset }) => dataset['hydrateStored']?.split(' ') ?? []);
  if (keys.some(isStored) || findElements('data-hydrate-now').length > 0) startHydration();
  // Another tab has stored one of the keys.
  addEventListener('storage', ({ key }) => key !== null && keys.includes(key) && startHydration());
}

/** The Prerender API, which some browsers lack. */
interface PrerenderedDocument extends Document {
  readonly prerendering?: boolean;
}

/** Resolves when the page is shown, which may never happen if it is prerendered. */
function waitUntilActivated(): Promise<void> {
  return new Promise((resolve) => {
    const { prerendering }: PrerenderedDocument = document;
    if (prerendering !== true) resolve();
    else document.addEventListener('prerenderingchange', () => resolve(), { once: true });
  });
}

/** Resolves when the first view, including the hero picture, has loaded. */
function waitUntilLoaded(): Promise<void> {
  return new Promise((resolve) => {
    if (document.readyState === 'complete') resolve();
    else addEventListener('load', () => resolve(), { once: true });
  });
}

/** Starts hydration on demand. Until then, the page works without React. */
async function startPage(): Promise<void> {
  await waitUntilActivated();
  storeVisitedPath(location.pathname);
  listenForIntent();
  await waitUntilLoaded();
  watchPictures();
  watchTriggers();
}

void startPage();
