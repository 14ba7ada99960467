import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import type { Site } from '../../shared/site.ts';
import { NotFoundMessage, notFoundPicture } from '../components/not-found-message.tsx';

export function Screen() {
  return <NotFoundMessage />;
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).notFound;
}

export const getHeroPicture = () => notFoundPicture;
