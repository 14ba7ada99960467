import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import type { Site } from '../../shared/site.ts';
import landscape from '#files/pictures/not-found.jpg?hero';
import portrait from '#files/pictures/not-found.jpg?center';
import { NotFoundMessage } from '../components/not-found-message.tsx';
import { SimilarPages } from './not-found/similar-pages.tsx';

const picture = { landscape, portrait };

export function Screen() {
  return <NotFoundMessage picture={picture} suggestions={<SimilarPages />} />;
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).notFound;
}

export const getHeroPicture = () => picture;
