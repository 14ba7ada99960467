import { routePatterns } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';

/** The same two as in `client/styles/tokens.css`: deep and cream. */
const THEME_COLOR = '#0F1F16';
const BACKGROUND_COLOR = '#FBF8F1';

const ICON_SIZES = [192, 512];

/** The web application manifest (https://www.w3.org/TR/appmanifest/). */
export function writeWebManifest(site: Site): string {
  return JSON.stringify(
    {
      name: site.name,
      short_name: site.name,
      lang: 'en',
      id: routePatterns.home,
      start_url: routePatterns.home,
      scope: routePatterns.home,
      // The browser's own way back stays: pages lead to each other, not to a home screen.
      display: 'minimal-ui',
      theme_color: THEME_COLOR,
      background_color: BACKGROUND_COLOR,
      icons: [
        // The icon of the tab, which the browser has: no further request for most.
        { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
        ...ICON_SIZES.map((size) => ({
          src: `/icon-${size}.png`,
          sizes: `${size}x${size}`,
          type: 'image/png',
        })),
      ],
    },
    null,
    2,
  );
}
