import { surfaces } from '../../shared/accents/accent-scheme.ts';
import { iconPaths, routePatterns } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';

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
      theme_color: surfaces.deep,
      background_color: surfaces.cream,
      icons: [
        // The icon of the tab, which the browser has: no further request for most.
        { src: iconPaths.svg, sizes: 'any', type: 'image/svg+xml' },
        ...Object.entries(iconPaths.png).map(([size, src]) => ({
          src,
          sizes: `${size}x${size}`,
          type: 'image/png',
        })),
      ],
    },
    null,
    2,
  );
}
