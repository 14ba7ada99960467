import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { anchors, pathTo } from '../../shared/paths.ts';
import { getResponsePromise, type Site } from '../../shared/site.ts';
import { useSite } from '../app/page-state.tsx';
import landscape from '../assets/pictures/hero-about.jpg?hero';
import portrait from '../assets/pictures/hero-about-portrait.jpg?portrait';
import mp4 from '../assets/videos/hero-about.mp4';
import webm from '../assets/videos/hero-about.webm';
import { BackgroundVideo } from '../components/background-video.tsx';
import { ButtonLink } from '../components/button-link.tsx';
import { CallToAction } from '../components/call-to-action.tsx';
import { PageHero, type HeroBackground } from '../components/page-hero.tsx';
import { PointGrid } from '../components/point-grid.tsx';
import { Section } from '../components/section.tsx';
import styles from './about-screen.module.css';
import { listStoryParagraphs, principles } from './about/about-content.ts';

/** The founder story; its first paragraph is set large. */
function Story({ paragraphs }: { paragraphs: readonly string[] }) {
  return (
    <div className={styles.story}>
      {paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </div>
  );
}

/** Also for the background test page; in a file of its own it would be one more to fetch. */
export const aboutHero: Required<HeroBackground> = {
  picture: { landscape, portrait },
  video: <BackgroundVideo source={{ webm, mp4 }} />,
};

export function Screen() {
  const site = useSite();

  return (
    <>
      <PageHero
        label="About us"
        title="We began where the busywork was"
        description={`${site.name} takes busywork off your people’s desks, as we learned to in a family confectionery business that had too little time for confectionery.`}
        {...aboutHero}
      >
        <ButtonLink href={pathTo.contact()}>Get Your Free Assessment</ButtonLink>
      </PageHero>
      <Section id={anchors.story} heading="Our story" tone="white" layout="split">
        <Story paragraphs={listStoryParagraphs(site.name)} />
      </Section>
      <Section
        id={anchors.corePrinciples}
        heading="Our core principles"
        lead="Three words we measure every piece of work by."
      >
        <PointGrid points={principles} />
      </Section>
      <CallToAction
        heading="Which work would you rather not do?"
        text={`Tell us which work keeps your people from their real job. We answer ${getResponsePromise(site)}.`}
      />
    </>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).about;
}

export const getHeroPicture = () => aboutHero.picture;
