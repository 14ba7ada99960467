import { useRef } from 'react';
import type { ArticleFrontMatter } from '../../../shared/content/front-matter.ts';
import { pathTo } from '../../../shared/paths.ts';
import { useSite } from '../../app/page-state.tsx';
import { Day } from '../../components/day.tsx';
import { Prose } from '../../components/prose.tsx';
import { TableOfContents, type Heading } from '../../components/table-of-contents.tsx';
import { TextColumns } from '../../components/text-columns.tsx';
import { articleComponents } from './article-components.tsx';
import { ArticleHeader } from './article-header.tsx';
import type { ArticleText } from './article-texts.ts';
import styles from './article-view.module.css';
import { FoldedContents } from './folded-contents.tsx';
import { OtherArticles } from './other-articles.tsx';
import { ReadingProgress } from './reading-progress.tsx';
import { ShareLinks } from './share-links.tsx';

/** Where a printed article comes from; on paper only. */
function PrintedSource({ date, url }: Pick<ArticleFrontMatter, 'date'> & { readonly url: string }) {
  const { name } = useSite();

  return (
    <p className={styles.source}>
      {name}, <Day date={date} />. {url}
    </p>
  );
}

/** Open beside the text where there is room, else folded above it. */
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

interface ArticleViewProps {
  readonly slug: string;
  readonly text: ArticleText;
}

/** A whole article: its head, its text with the contents beside it, and where to go from it. */
export function ArticleView({ slug, text }: ArticleViewProps) {
  const { frontmatter, picture, tableOfContents, default: Text } = text;
  const textRef = useRef<HTMLDivElement>(null);
  const url = useSite().publicUrl + pathTo.article(slug);

  return (
    <article>
      <ReadingProgress of={textRef} />
      <ArticleHeader article={frontmatter} picture={picture} />
      <TextColumns contents={<Contents headings={tableOfContents} />}>
        <div className={styles.text} ref={textRef}>
          <Prose>
            <Text components={articleComponents} />
          </Prose>
        </div>
        <footer className={styles.end}>
          <PrintedSource date={frontmatter.updatedOn ?? frontmatter.date} url={url} />
          <ShareLinks title={frontmatter.title} url={url} />
          <OtherArticles slug={slug} />
        </footer>
      </TextColumns>
    </article>
  );
}
