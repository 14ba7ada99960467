import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { anchors } from '../../shared/content/anchors.ts';
import { pathTo } from '../../shared/paths.ts';
import { RESPONSE_PROMISE, type Site } from '../../shared/site.ts';
import { useSite } from '../app/page-state.tsx';
import { ButtonLink } from '../components/button-link.tsx';
import { CallToAction } from '../components/call-to-action.tsx';
import { aboutHeroPicture, aboutHeroVideo } from '../components/hero-backgrounds.ts';
import { PageHero } from '../components/page-hero.tsx';
import { PointGrid } from '../components/point-grid.tsx';
import { Section } from '../components/section.tsx';
import { principles, tellStory } from './about/about-content.ts';
import { Story } from './about/story.tsx';

export function Screen() {
  const { name } = useSite();

  return (
    <>
      <PageHero
        label="About us"
        title="We began where the busywork was"
        description={`${name} started with a family confectionery business that had too little time for confectionery.`}
        picture={aboutHeroPicture}
        video={aboutHeroVideo}
      >
        <ButtonLink to={pathTo.contact()}>Get Your Free Assessment</ButtonLink>
      </PageHero>
      <Section id={anchors.story} heading="Our story" tone="white" layout="split">
        <Story paragraphs={tellStory(name)} />
      </Section>
      <Section
        id={anchors.corePrinciples}
        heading="Our core principles"
        lead="Three words we hold every piece of work against."
      >
        <PointGrid points={principles} />
      </Section>
      <CallToAction
        heading="Which work would you rather not do?"
        text={`Tell us which work keeps your people from their real job. We answer ${RESPONSE_PROMISE}.`}
      />
    </>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).about;
}

export const getHeroPicture = () => aboutHeroPicture;
