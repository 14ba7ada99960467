import { useParams } from 'react-router-dom';
import { getArticleMeta } from '../../shared/content/article.ts';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { getResponsePromise, type Site } from '../../shared/site.ts';
import { useSite } from '../app/page-state.tsx';
import type { ScreenParams } from '../app/screen-registry.ts';
import { CallToAction } from '../components/call-to-action.tsx';
import { NotFoundMessage } from '../components/not-found-message.tsx';
import type { PictureSource } from '../components/picture-source.ts';
import { PICTURE_SIZES } from './article/article-header.tsx';
import { loadEstimateForm } from '../features/estimate/estimate-slot.tsx';
import { findArticle, storeServedArticle, loadArticle, type ArticleFrame } from './article/article-pages.ts';
import { ArticleView } from './article/article-view.tsx';
import styles from './article/article-view.module.css';

/** An article. Only what the listing doesn't load may name articles, as this screen does. */
export function Screen() {
  const site = useSite();
  const page = findArticle(useParams().slug);
  if (!page) return <NotFoundMessage />;

  return (
    <>
      <ArticleView {...page} />
      <div className={styles.notPrinted}>
        <CallToAction
          heading="What would this look like in your company?"
          text={`Describe your situation in a few lines. We answer ${getResponsePromise(site)}, free and without obligation.`}
          buttonLabel="Get Your Free Assessment"
        />
      </div>
    </>
  );
}

export async function load({ slug }: ScreenParams): Promise<void> {
  await loadArticle(slug);
  if (findArticle(slug)?.frame.article.hasEstimate) await loadEstimateForm();
}

export const getServedData = ({ slug }: ScreenParams): ArticleFrame | undefined =>
  findArticle(slug)?.frame;

export const restoreServedData = (frame: object): void => storeServedArticle(frame as ArticleFrame);

export function getMeta(_site: Site, { slug }: ScreenParams): PageMeta | undefined {
  const page = findArticle(slug);

  return page && getArticleMeta(page.frame.article);
}

export function getHeroPicture({ slug }: ScreenParams): PictureSource | undefined {
  const page = findArticle(slug);

  return page && { landscape: page.frame.article.pictureFile, sizes: PICTURE_SIZES };
}
