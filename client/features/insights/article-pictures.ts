import type { ArticlePicture } from '../../../shared/content/article-pictures.ts';
import cagedSphere from '../../assets/pictures/articles/caged-sphere.jpg?card';
import capsules from '../../assets/pictures/articles/capsules.jpg?card';
import fiveSpheres from '../../assets/pictures/articles/five-spheres.jpg?card';
import goldenBalance from '../../assets/pictures/articles/golden-balance.jpg?card';
import goldenWave from '../../assets/pictures/articles/golden-wave.jpg?card';
import renewedRow from '../../assets/pictures/articles/renewed-row.jpg?card';
import risingColumns from '../../assets/pictures/articles/rising-columns.jpg?card';
import sevenStreams from '../../assets/pictures/articles/seven-streams.jpg?card';
import threeBelts from '../../assets/pictures/articles/three-belts.jpg?card';
import type { PictureFile } from '../../components/picture-source.ts';

/** The pictures of the articles' cards. */
export const articlePictureFiles: Readonly<Record<ArticlePicture, PictureFile>> = {
  'caged-sphere': cagedSphere,
  capsules,
  'five-spheres': fiveSpheres,
  'golden-balance': goldenBalance,
  'golden-wave': goldenWave,
  'renewed-row': renewedRow,
  'rising-columns': risingColumns,
  'seven-streams': sevenStreams,
  'three-belts': threeBelts,
};
