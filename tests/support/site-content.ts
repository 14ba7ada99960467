import { listPages } from '../../shared/node/content/list-pages.ts';

export const SITE_NAME = 'Praline';

/** Every page of the site, described with the default settings. */
export const pages = listPages({
  name: SITE_NAME,
  legalEntity: SITE_NAME,
  legalEmail: 'legal@example.com',
  publicUrl: 'http://localhost:3000',
});

export const pagePaths = pages.map(({ path }) => path);

export { articles } from '#content/articles';
