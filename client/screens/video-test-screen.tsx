import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import type { Site } from '../../shared/site.ts';
import { PageHero } from '../components/page-hero.tsx';
import { ResponsivePicture } from '../components/responsive-picture.tsx';
import shared from '../components/shared.module.css';
import { aboutHero } from './about-screen.tsx';
import { homeHero } from './home-screen.tsx';
import styles from './video-test-screen.module.css';

const backgrounds = [
  {
    ...homeHero,
    alt: 'Loose candy spheres in green, gold, and cream settle into perfect rows',
    caption: 'Video of the home page over its picture',
  },
  {
    ...aboutHero,
    alt: 'A round tray of chocolates in dark, milk, cream, and gold foil under warm side light',
    caption: 'Video of the about page over its picture',
  },
  {
    picture: homeHero.picture,
    video: undefined,
    alt: 'The first frame of the home page’s video',
    caption: 'The picture shown in place of a video',
  },
];

export function Screen() {
  return (
    <>
      <PageHero
        title="Background test"
        description="For checking how the two large page backgrounds look on a device. If a device doesn’t play a video, these still pictures are shown instead."
      />
      <div className={styles.body}>
        <div className={styles.inner}>
          {backgrounds.map(({ picture, video, alt, caption }) => (
            <figure key={caption} className={`${shared.stack} ${styles.figure}`}>
              <div className={styles.frame}>
                <ResponsivePicture source={picture} alt={alt} sizes="(width > 75em) 75rem, 96vw" />
                {video}
              </div>
              <figcaption className={shared.note}>{caption}</figcaption>
            </figure>
          ))}
        </div>
      </div>
    </>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).videoTest;
}
