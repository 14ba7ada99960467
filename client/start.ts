import { readPageData } from './app/page-data.ts';
import { tryStorage } from './app/storage.ts';
import { storeVisitedPath } from './app/visit-source.ts';
import { savesData } from './app/wake-conditions.ts';

/** What a visitor acts on: a pointer that comes to it says that scripts may be wanted soon. */
const CONTROLS = 'a, button, summary, label, input, select, textarea';
/** How far from the screen a part that needs React may be when it is fetched: one screen's height. */
const NEAR = '100% 0px';

/**
 * Fetches a script into the browser's cache. In Firefox and Safari an `import` or `modulepreload` that failed fails for
 * good in its document.
 */
async function fetchScript(url: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} has status ${response.status}.`);
  await response.arrayBuffer();
}

let waking: Promise<void> | undefined;

/** Fetches React and the screen's scripts, all at once, and hydrates the page. */
async function hydrate(): Promise<void> {
  const data = readPageData();
  await Promise.all(data.scripts.map(fetchScript));
  const { hydratePage } = await import('./app/hydrate-page.tsx');
  await hydratePage(data);
}

/** Wakes React, once. Without a network the page stays as it is, which works, and the next sign tries again. */
function wake(): void {
  waking ??= hydrate().catch((error: unknown) => {
    reportError(error);
    waking = undefined;
  });
}

const isControl = ({ target }: Event) => target instanceof Element && target.closest(CONTROLS) !== null;

/**
 * Wakes React when a pointer or the focus comes to a control, or something is entered. A finger's `pointerover` comes
 * with its touch. A visitor may have been in a field before this script arrived.
 */
function listenForIntent(): void {
  if (document.activeElement?.matches(CONTROLS)) wake();
  for (const type of ['pointerover', 'focusin', 'input'] as const) {
    document.addEventListener(type, (event) => isControl(event) && wake(), { passive: true });
  }
  document.addEventListener('keydown', wake, { passive: true });
}

function findParts(attribute: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(`[${attribute}]`)];
}

const isStored = (key: string) =>
  tryStorage(() => (sessionStorage.getItem(key) ?? localStorage.getItem(key)) !== null) ?? false;

function watchMedia(query: string): void {
  if (savesData()) return;
  const list = matchMedia(query);
  if (list.matches) wake();
  else list.addEventListener('change', wake, { once: true });
}

const hasFailed = (picture: HTMLImageElement) => picture.complete && picture.currentSrc !== '' && picture.naturalWidth === 0;

/** Wakes React for a picture that can't be loaded, in whose place it shows another. */
function watchPictures(): void {
  if ([...document.images].some(hasFailed)) wake();
  // The event of an element doesn't rise.
  document.addEventListener('error', ({ target }) => target instanceof HTMLImageElement && wake(), { capture: true });
}

/** Wakes React for the parts of the page that need it by themselves (`wake-conditions.ts`). */
function watchParts(): void {
  const observer = new IntersectionObserver(
    (entries) => entries.some(({ isIntersecting }) => isIntersecting) && wake(),
    { rootMargin: NEAR },
  );
  findParts('data-wake-near').forEach((part) => observer.observe(part));
  findParts('data-wake-media').forEach(({ dataset }) => watchMedia(dataset['wakeMedia'] ?? ''));
  const keys = findParts('data-wake-stored').flatMap(({ dataset }) => dataset['wakeStored']?.split(' ') ?? []);
  if (keys.some(isStored) || findParts('data-wake-now').length > 0) wake();
  // From another tab.
  addEventListener('storage', ({ key }) => key !== null && keys.includes(key) && wake());
}

/** The part of the Prerender API that is used; not every browser has it. */
interface PrerenderedDocument extends Document {
  readonly prerendering?: boolean;
}

/** Resolves when the page is shown: a prerendered one may never be. */
function waitUntilActivated(): Promise<void> {
  return new Promise((resolve) => {
    const { prerendering }: PrerenderedDocument = document;
    if (prerendering !== true) resolve();
    else document.addEventListener('prerenderingchange', () => resolve(), { once: true });
  });
}

/** Resolves when what is to be seen first has loaded, the hero picture above all. */
function waitUntilLoaded(): Promise<void> {
  return new Promise((resolve) => {
    if (document.readyState === 'complete') resolve();
    else addEventListener('load', () => resolve(), { once: true });
  });
}

/** The page works without scripts, so React is loaded when something needs it. */
async function startPage(): Promise<void> {
  await waitUntilActivated();
  storeVisitedPath(location.pathname);
  listenForIntent();
  await waitUntilLoaded();
  watchPictures();
  watchParts();
}

void startPage();
