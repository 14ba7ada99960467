import type { PageMeta } from '../app/page-meta.ts';
import { aboutHeroPicture, homeHeroPicture } from '../components/hero-pictures.ts';
import { PageBody } from '../components/page-body.tsx';
import { PageHero } from '../components/page-hero.tsx';
import { ResponsivePicture } from '../components/responsive-picture.tsx';
import styles from './video-test/video-test.module.css';

const figures = [
  {
    picture: homeHeroPicture,
    alt: 'Loose candy spheres in green, gold, and cream settle into perfect rows',
    caption: 'Background of the home page',
  },
  {
    picture: aboutHeroPicture,
    alt: 'A round tray of chocolates in dark, milk, cream, and gold foil under warm side light',
    caption: 'Background of the about page',
  },
];

export function Screen() {
  return (
    <>
      <PageHero
        title="Background test"
        description="For checking how the two large page backgrounds look on a device. Where a video is not shown, these still pictures stand in for it."
      />
      <PageBody>
        {figures.map(({ picture, alt, caption }) => (
          <figure key={caption} className={styles.figure}>
            <ResponsivePicture className={styles.picture} source={picture} alt={alt} />
            <figcaption className={styles.caption}>{caption}</figcaption>
          </figure>
        ))}
      </PageBody>
    </>
  );
}

export function getMeta(): PageMeta {
  return {
    title: 'Background test',
    description:
      'A test page for the two large page backgrounds and the still pictures that stand in for them.',
    isHidden: true,
  };
}
