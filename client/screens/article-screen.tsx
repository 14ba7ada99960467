import { insightsPage } from '#content/insights-page';
import { getArticleMeta } from '../../shared/content/article.ts';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import type { PageState } from '../../shared/page-state.ts';
import { fillSitePlaceholders, type Site } from '../../shared/site.ts';
import { useSite } from '../app/page-state.tsx';
import type { ScreenParams } from '../app/screen-registry.ts';
import { CallToAction } from '../components/call-to-action.tsx';
import type { PictureSource } from '../components/picture-source.ts';
import shared from '../components/shared.module.css';
import { PICTURE_SIZES } from './article/article-header.tsx';
import { loadArticle, type ArticleFrame } from './article/article-pages.ts';
import { ArticleView } from './article/article-view.tsx';

/** An article's page. Article data must stay out of modules that the gated listing loads. */
export function Screen({ data }: { readonly data: ArticleFrame }) {
  const site = useSite();
  const closing = insightsPage.articleClosing;

  return (
    <>
      <ArticleView {...data} />
      <div className={shared.notPrinted}>
        <CallToAction
          heading={closing.title}
          text={fillSitePlaceholders(closing.text, site)}
          buttonLabel={insightsPage.ctaLabel}
        />
      </div>
    </>
  );
}

// The browser build omits this function and with it all article texts.
export const load = import.meta.env.SSR ? ({ slug }: ScreenParams) => loadArticle(slug) : undefined;

export function getMeta(_site: Site, _state: PageState, { article }: ArticleFrame): PageMeta {
  return getArticleMeta(article);
}

export const getHeroPicture = ({ article }: ArticleFrame): PictureSource => ({
  landscape: article.pictureFile,
  sizes: PICTURE_SIZES,
});
