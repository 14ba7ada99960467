import { articleList } from 'virtual:article-list';
import { useParams } from 'react-router-dom';
import { getArticleMeta } from '../../shared/content/article.ts';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { RESPONSE_PROMISE, type Site } from '../../shared/site.ts';
import type { ScreenParams } from '../app/screen-registry.ts';
import { CallToAction } from '../components/call-to-action.tsx';
import { NotFoundMessage } from '../components/not-found-message.tsx';
import type { PictureSource } from '../components/picture-source.ts';
import { PICTURE_SIZES } from './article/article-header.tsx';
import { ArticleView } from './article/article-view.tsx';
import { getArticleText, loadArticleText } from './article/article-texts.ts';
import styles from './article/article-view.module.css';

const findArticle = (slug: string | undefined) =>
  articleList.find((article) => article.slug === slug);

/** An article. Only this screen may name articles: the listing's chunks may not. */
export function Screen() {
  const article = findArticle(useParams().slug);
  if (!article) return <NotFoundMessage />;

  return (
    <>
      <ArticleView article={article} text={getArticleText(article.slug)} />
      <div className={styles.notPrinted}>
        <CallToAction
          heading="What would this look like in your company?"
          text={`Describe your situation in a few lines. We answer ${RESPONSE_PROMISE}, free and without obligation.`}
          buttonLabel="Get Your Free Assessment"
        />
      </div>
    </>
  );
}

export const load = ({ slug }: ScreenParams): Promise<void> => loadArticleText(slug);

export function getMeta(_site: Site, { slug }: ScreenParams): PageMeta | undefined {
  const article = findArticle(slug);

  return article && getArticleMeta(article);
}

export function getHeroPicture({ slug }: ScreenParams): PictureSource | undefined {
  const article = findArticle(slug);

  return article && { landscape: article.pictureFile, sizes: PICTURE_SIZES };
}
