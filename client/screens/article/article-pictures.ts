import type { ArticlePicture } from '../../../shared/content/article-pictures.ts';
import type { PictureFile, PictureSource } from '../../components/picture-source.ts';

const files = import.meta.glob<PictureFile>('../../assets/pictures/articles/*.jpg', {
  query: '?article',
  import: 'default',
  eager: true,
});

/** Beside the title on wide screens, as wide as the column of text on others. */
export const PICTURE_SIZES = '(width > 62em) 35rem, (width > 48em) 44rem, 92vw';

/** The picture of an article, with how wide it is shown. */
export function getArticlePicture(picture: ArticlePicture): PictureSource {
  const landscape = files[`../../assets/pictures/articles/${picture}.jpg`];
  if (!landscape) throw new Error(`There is no picture ${picture}.`);

  return { landscape, sizes: PICTURE_SIZES };
}
