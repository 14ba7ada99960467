import type { ArticleFrontMatter } from '../../../shared/content/content-schema.ts';
import { pathTo } from '../../../shared/paths.ts';
import { useSite } from '../../app/page-state.tsx';
import { Day } from '../../components/byline.tsx';
import { Icon } from '../../components/icon.tsx';
import { Prose, TextColumns } from '../../components/prose.tsx';
import { ServerOnly } from '../../components/server-only.tsx';
import shared from '../../components/shared.module.css';
import { ContentsList, TableOfContents, type Heading } from '../../components/table-of-contents.tsx';
import { EstimateBox } from '../../features/estimate/estimate-section.tsx';
import { articleComponents } from './article-components.tsx';
import { ArticleHeader } from './article-header.tsx';
import { getArticle, type ArticleFrame, type ArticleLink } from './article-pages.ts';
import styles from './article-view.module.css';
import foldedStyles from './folded-contents.module.css';
import otherStyles from './other-articles.module.css';
import { ShareLinks } from './share-links.tsx';

/** The article's source, in print only. */
function PrintedSource({ date, url }: Pick<ArticleFrontMatter, 'date'> & { readonly url: string }) {
  const { name } = useSite();

  return (
    <p className={styles.source}>
      {name}, <Day date={date} />. {url}
    </p>
  );
}

/** The table of contents above the text on narrow screens. Expands without scripts. */
function FoldedContents({ headings }: { headings: readonly Heading[] }) {
  return (
    <nav className={foldedStyles.contents} aria-label="On this page">
      <details>
        <summary className={foldedStyles.title}>
          On this page
          <Icon name="chevron-down" />
        </summary>
        <ContentsList headings={headings} />
      </details>
    </nav>
  );
}

/** The table of contents, beside the text or collapsed above it. */
function Contents({ headings }: { headings: readonly Heading[] }) {
  return (
    <>
      <div className={styles.beside}>
        <TableOfContents headings={headings} />
      </div>
      <FoldedContents headings={headings} />
    </>
  );
}

/** The article's text, rendered on the server. */
function Text({ slug }: { slug: string }) {
  const { default: Markdown } = getArticle(slug);

  return (
    <Prose>
      <Markdown components={articleComponents} />
    </Prose>
  );
}

interface OtherArticleProps {
  readonly article: ArticleLink | undefined;
  readonly rel: 'prev' | 'next';
}

const labels = { prev: 'Previous article', next: 'Next article' } as const;

function OtherArticle({ article, rel }: OtherArticleProps) {
  if (!article) return null;

  return (
    <a className={`${otherStyles.link} ${otherStyles[rel]}`} href={pathTo.article(article.slug)} rel={rel}>
      <span className={shared.note}>{labels[rel]}</span>
      <span className={otherStyles.title}>{article.title}</span>
    </a>
  );
}

/** Links to the next newer and next older article. */
function OtherArticles({ previous, next }: Pick<ArticleFrame, 'previous' | 'next'>) {
  return (
    <nav className={otherStyles.others} aria-label="Other articles">
      <OtherArticle article={previous} rel="prev" />
      <OtherArticle article={next} rel="next" />
    </nav>
  );
}

/** A whole article: header, text with table of contents, and links. */
export function ArticleView({ article, previous, next }: ArticleFrame) {
  const { slug, title, date, updatedOn = date } = article;
  const url = useSite().publicUrl + pathTo.article(slug);
  const contents = import.meta.env.SSR && <Contents headings={getArticle(slug).tableOfContents} />;

  return (
    <article className={styles.article}>
      <div className={`${styles.progress} ${shared.notPrinted}`} aria-hidden="true" />
      <ArticleHeader article={article} picture={article.pictureFile} />
      <TextColumns contents={<ServerOnly>{contents}</ServerOnly>}>
        <ServerOnly className={styles.text}>{import.meta.env.SSR && <Text slug={slug} />}</ServerOnly>
        {article.hasEstimate && <EstimateBox />}
        <footer className={styles.end}>
          <PrintedSource date={updatedOn} url={url} />
          <ShareLinks title={title} url={url} />
          <OtherArticles previous={previous} next={next} />
        </footer>
      </TextColumns>
    </article>
  );
}
