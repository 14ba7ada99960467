import type { ComponentType } from 'react';
import { matchPath } from 'react-router-dom';
import { solutions } from '../../shared/content/solutions.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import type { PageState } from '../../shared/page-state.ts';
import type { Site } from '../../shared/site.ts';
import type { PictureSource } from '../components/picture-source.ts';
import { loadElsewhere } from './page-data.ts';

/** Parameters of the matched path, e.g. `{ slug }`. */
export type ScreenParams = Readonly<Record<string, string | undefined>>;

/** What every file in `screens/` exports. */
export interface ScreenModule {
  /**
   * For a screen that shows several pages: fetches what the page of these parameters needs besides
   * the screen, unless the document has it already (`ServedPart`).
   */
  readonly load?: (params: ScreenParams) => Promise<void>;
  /** For such a screen: what the document carries instead, as plain data. */
  readonly getServedData?: (params: ScreenParams) => object | undefined;
  /** Restores what `getServedData` returned, before the served page is hydrated. */
  readonly restoreServedData?: (data: object) => void;
  readonly Screen: ComponentType;
  /**
   * Meta data of the page, or undefined when the parameters name nothing that exists.
   * @param state of the document; none where the browser goes from page to page
   */
  readonly getMeta: (site: Site, params: ScreenParams, state?: PageState) => PageMeta | undefined;
  /** The picture behind the hero, if there is one: documents preload it. */
  readonly getHeroPicture?: (params: ScreenParams) => PictureSource | undefined;
}

interface ScreenRoute {
  readonly pattern: string;
  /** Path of the module below the Vite root. */
  readonly file: string;
}

interface MatchedScreen {
  /** Path of the module below the Vite root: its key in Vite's manifest. */
  readonly file: string;
  readonly params: ScreenParams;
}

const loaders = import.meta.glob<ScreenModule>('../screens/{,solutions/}*-screen.tsx');

/** Which screen shows which pattern; each screen is a chunk of its own. */
export const screenRoutes: readonly ScreenRoute[] = [
  { pattern: routePatterns.home, file: 'screens/home-screen.tsx' },
  ...solutions.map(({ slug }) => ({
    pattern: pathTo.solution(slug),
    file: `screens/solutions/${slug}-screen.tsx`,
  })),
  { pattern: routePatterns.insights, file: 'screens/insights-screen.tsx' },
  { pattern: routePatterns.article, file: 'screens/article-screen.tsx' },
  { pattern: routePatterns.about, file: 'screens/about-screen.tsx' },
  { pattern: routePatterns.contact, file: 'screens/contact-screen.tsx' },
  { pattern: routePatterns.privacyPolicy, file: 'screens/privacy-policy-screen.tsx' },
  { pattern: routePatterns.termsOfService, file: 'screens/terms-of-service-screen.tsx' },
  { pattern: routePatterns.accessibility, file: 'screens/accessibility-screen.tsx' },
  { pattern: routePatterns.videoTest, file: 'screens/video-test-screen.tsx' },
  { pattern: routePatterns.followUp, file: 'screens/follow-up-screen.tsx' },
  { pattern: routePatterns.heldRequest, file: 'screens/held-request-screen.tsx' },
  { pattern: routePatterns.newsletterConfirmation, file: 'screens/newsletter-screen.tsx' },
  { pattern: routePatterns.newsletterUnsubscription, file: 'screens/newsletter-screen.tsx' },
];

/** The screen for whatever has no page. */
export const notFoundScreen: MatchedScreen = { file: 'screens/not-found-screen.tsx', params: {} };

const loadedModules = new Map<string, ScreenModule>();
const pendingModules = new Map<string, Promise<ScreenModule>>();

/** Only a slug decides what else is fetched; a token in an address doesn't. */
function getKey({ file, params: { slug = '' } }: MatchedScreen): string {
  return `${file} ${slug}`;
}

/** Finds the screen that shows `pathname`; paths without one get the not-found screen. */
export function matchScreen(pathname: string): MatchedScreen {
  for (const { pattern, file } of screenRoutes) {
    const match = matchPath({ path: pattern, end: true }, pathname);
    if (match) return { file, params: match.params };
  }

  return notFoundScreen;
}

function fetchModule(file: string): Promise<ScreenModule> {
  const load = loaders[`../${file}`];
  if (!load) throw new Error(`There is no screen in ${file}.`);

  return load();
}

async function fetchScreen({ file, params }: MatchedScreen): Promise<ScreenModule> {
  const module = await fetchModule(file);
  await module.load?.(params);

  return module;
}

/**
 * Loads once what a page needs: its screen's chunk, and that of its text. A failed load (offline, a
 * new release) is not cached: the next visit tries again.
 */
export function loadScreen(screen: MatchedScreen): Promise<ScreenModule> {
  const key = getKey(screen);
  const pending = pendingModules.get(key);
  if (pending) return pending;

  const loading = fetchScreen(screen).then((module) => {
    loadedModules.set(key, module);

    return module;
  });
  pendingModules.set(key, loading);
  loading.catch(() => pendingModules.delete(key));

  return loading;
}

/** What React waits for, by key: it gets the same promise each time it asks, or it would begin anew for ever. */
const awaitedModules = new Map<string, Promise<ScreenModule>>();

/**
 * Loads the screen of the page shown. What can't be loaded any more belongs to a release before this one: then the
 * document of the new address comes, which names the right files, and until then the promise stays pending. It can't
 * go round in circles, for the page of a document isn't loaded by this, and what was only fetched ahead is not missed.
 */
export function loadShownScreen(screen: MatchedScreen): Promise<ScreenModule> {
  const key = getKey(screen);
  const awaited = awaitedModules.get(key);
  if (awaited) return awaited;

  const awaiting = loadScreen(screen).catch(() => {
    // The visitor may have gone on meanwhile: then a next visit tries again.
    if (key === getKey(matchScreen(location.pathname))) loadElsewhere();
    else awaitedModules.delete(key);

    return new Promise<never>(() => undefined);
  });
  awaitedModules.set(key, awaiting);

  return awaiting;
}

/** The page the server sent, if its screen is valid only as long as it is shown. */
let served: { readonly key: string; readonly module: ScreenModule } | undefined;

/** Loads the screen of the page the server sent, which gets the data the document has for it. */
export async function loadServedScreen(screen: MatchedScreen, data?: object): Promise<void> {
  const key = getKey(screen);
  const module = await fetchModule(screen.file);
  if (data) module.restoreServedData?.(data);
  if (module.load) served = { key, module };
  else loadedModules.set(key, module);
}

/** Called once another page is shown: whoever comes back needs all of the page. */
export function clearServedScreen(): void {
  served = undefined;
}

/** The screen if all its page needs is here already: always so for the first page shown. */
export function getLoadedScreen(screen: MatchedScreen): ScreenModule | undefined {
  const key = getKey(screen);

  return loadedModules.get(key) ?? (served?.key === key ? served.module : undefined);
}
