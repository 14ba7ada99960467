import { aboutPage } from '#content/about-page';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { anchors, pathTo } from '../../shared/paths.ts';
import { fillSitePlaceholders, type Site } from '../../shared/site.ts';
import { useSite } from '../app/page-state.tsx';
import landscape from '#files/pictures/hero-about.jpg?hero';
import portrait from '#files/pictures/hero-about-portrait.jpg?portrait';
import mp4 from '#files/videos/hero-about.mp4';
import webm from '#files/videos/hero-about.webm';
import { BackgroundVideo } from '../components/background-video.tsx';
import { ButtonLink } from '../components/button-link.tsx';
import { CallToAction } from '../components/call-to-action.tsx';
import { PageHero, type HeroBackground } from '../components/page-hero.tsx';
import { PointGrid } from '../components/point-grid.tsx';
import { Section } from '../components/section.tsx';
import styles from './about-screen.module.css';

/** The founder story. Its first paragraph is larger. */
function Story({ paragraphs }: { paragraphs: readonly string[] }) {
  return (
    <div className={styles.story}>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </div>
  );
}

/** Also used by the video test page. Moving it to a separate file would add a request. */
export const aboutHero: Required<HeroBackground> = {
  picture: { landscape, portrait },
  video: <BackgroundVideo source={{ webm, mp4 }} />,
};

export function Screen() {
  const site = useSite();
  const { label, headline, story, principles, closing } = aboutPage;

  return (
    <>
      <PageHero label={label} title={headline} description={fillSitePlaceholders(aboutPage.description, site)} {...aboutHero}>
        <ButtonLink href={pathTo.contact()}>{aboutPage.ctaLabel}</ButtonLink>
      </PageHero>
      <Section id={anchors.story} heading={story.heading} tone="white" layout="split">
        <Story paragraphs={story.paragraphs.map((paragraph) => fillSitePlaceholders(paragraph, site))} />
      </Section>
      <Section id={anchors.corePrinciples} heading={principles.heading} lead={principles.lead}>
        <PointGrid points={principles.points} />
      </Section>
      <CallToAction heading={closing.title} text={fillSitePlaceholders(closing.text, site)} />
    </>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).about;
}

export const getHeroPicture = () => aboutHero.picture;
