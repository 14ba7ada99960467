import { hasImprint } from '#content/has-imprint';
import { solutions } from '#content/solutions';
import { contentScreens } from 'virtual:content-screens';
import type { ComponentType } from 'react';
import { matchPath } from 'react-router-dom';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import type { PageState } from '../../shared/page-state.ts';
import type { Site } from '../../shared/site.ts';
import type { PictureSource } from '../components/picture-source.ts';

/** Parameters from the matched path, e.g. `{ slug }`. */
export type ScreenParams = Readonly<Record<string, string | undefined>>;

/** The exports of a file in `screens/`. The browser only uses `Screen`. */
export interface ScreenModule<Data = unknown> {
  /** Runs on the server and returns the screen's data, which is sent to the browser as JSON. */
  readonly load?: (params: ScreenParams) => Promise<Data>;
  readonly Screen: ComponentType<{ readonly data: Data }>;
  readonly getMeta: (site: Site, state: PageState, data: Data) => PageMeta;
  /** Returns the hero's background picture, which the document preloads. */
  readonly getHeroPicture?: (data: Data) => PictureSource;
}

interface MatchedScreen {
  /** The module's path relative to the Vite root. Vite's manifest uses it as the key. */
  readonly file: string;
  readonly params: ScreenParams;
}

/** The screen for each route. Each screen is its own chunk. */
const screenRoutes: readonly { readonly pattern: string; readonly file: string }[] = [
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
  ...(hasImprint ? [{ pattern: routePatterns.imprint, file: 'screens/imprint-screen.tsx' }] : []),
  { pattern: routePatterns.videoTest, file: 'screens/video-test-screen.tsx' },
  { pattern: routePatterns.followUp, file: 'screens/follow-up-screen.tsx' },
  { pattern: routePatterns.heldRequest, file: 'screens/held-request-screen.tsx' },
  { pattern: routePatterns.newsletterConfirmation, file: 'screens/newsletter-screen.tsx' },
  { pattern: routePatterns.newsletterUnsubscription, file: 'screens/newsletter-screen.tsx' },
];

/** Returns the screen for `pathname`. @param isNotFound whether the server responded with 404 */
export function matchScreen(pathname: string, isNotFound: boolean): MatchedScreen {
  if (!isNotFound) {
    for (const { pattern, file } of screenRoutes) {
      const match = matchPath(pattern, pathname);
      if (match) return { file, params: match.params };
    }
  }

  return { file: 'screens/not-found-screen.tsx', params: {} };
}

const loaders = { ...import.meta.glob<ScreenModule>('../screens/*-screen.tsx'), ...contentScreens };

/** Loads a screen. @param file path relative to the Vite root */
export function loadScreen(file: string): Promise<ScreenModule> {
  const load = loaders[`../${file}`];
  if (!load) throw new Error(`There is no screen in ${file}.`);

  return load();
}
