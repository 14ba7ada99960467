import { Link } from 'react-router-dom';
import type { Article } from '../../../shared/content/article.ts';
import { pathTo } from '../../../shared/paths.ts';
import { Day } from '../../components/day.tsx';
import { ResponsivePicture } from '../../components/responsive-picture.tsx';
import styles from './article-card.module.css';
import { articlePictureFiles } from './article-pictures.ts';

interface ArticleCardProps {
  readonly article: Article;
  /** Picture above the words, or beside them where there are many cards. */
  readonly layout: 'tall' | 'flat';
}

const sizes = {
  tall: '(width > 45em) min(30vw, 24rem), 92vw',
  flat: '(width > 40em) 11rem, 30vw',
} as const;

/** An article in a list: all of it leads to the article. */
export function ArticleCard({ article, layout }: ArticleCardProps) {
  const { slug, title, excerpt, category, label = category, author, date, readMinutes } = article;

  return (
    <article className={`${styles.card} ${styles[layout]}`}>
      <ResponsivePicture
        className={styles.picture}
        source={{ landscape: articlePictureFiles[article.picture] }}
        alt=""
        sizes={sizes[layout]}
      />
      <div className={styles.words}>
        <p className={styles.label}>{label}</p>
        <h3 className={styles.title}>
          <Link className={styles.link} to={pathTo.article(slug)}>
            {title}
          </Link>
        </h3>
        <p className={styles.excerpt}>{excerpt}</p>
        <p className={styles.details}>
          {author}&nbsp;· <Day date={date} />&nbsp;· {readMinutes}&nbsp;min&nbsp;read
        </p>
      </div>
    </article>
  );
}
