import { articlePictures } from 'virtual:article-pictures';
import type { ListedArticle } from '../../../shared/content/article.ts';
import { pathTo } from '../../../shared/paths.ts';
import { Byline } from '../../components/byline.tsx';
import type { PictureFile } from '../../components/picture-source.ts';
import { ResponsivePicture } from '../../components/responsive-picture.tsx';
import shared from '../../components/shared.module.css';
import styles from './article-card.module.css';

function getPicture(name: string): PictureFile {
  const picture = articlePictures[name];
  if (!picture) throw new Error(`There is no picture ${name}.jpg in content/pictures/articles.`);

  return picture;
}

interface ArticleCardProps {
  readonly article: ListedArticle;
  /** `tall` shows the picture above the text, and `flat` shows it beside the text. */
  readonly layout: 'tall' | 'flat';
}

const sizes = {
  tall: '(width > 45em) min(30vw, 24rem), 92vw',
  flat: '(width > 40em) 11rem, 30vw',
} as const;

/** An article in a list. The whole card is a link. */
export function ArticleCard({ article, layout }: ArticleCardProps) {
  const { slug, title, excerpt, category, label = category } = article;

  return (
    <article className={`${shared.card} ${styles.card} ${styles[layout]}`}>
      <ResponsivePicture
        className={styles.picture}
        source={{ landscape: getPicture(article.picture) }}
        alt=""
        sizes={sizes[layout]}
      />
      <div className={styles.words}>
        <p className={shared.eyebrow}>{label}</p>
        <h3 className={styles.title}>
          <a className={shared.cardLink} href={pathTo.article(slug)}>
            {title}
          </a>
        </h3>
        <p className={styles.excerpt}>{excerpt}</p>
        <Byline className={styles.byline} article={article} />
      </div>
    </article>
  );
}
