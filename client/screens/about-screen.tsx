import { anchors } from '../../shared/content/anchors.ts';
import { pathTo } from '../../shared/paths.ts';
import { RESPONSE_PROMISE } from '../../shared/site.ts';
import type { PageMeta } from '../app/page-meta.ts';
import { useSite } from '../app/page-state.tsx';
import { ButtonLink } from '../components/button-link.tsx';
import { CallToAction } from '../components/call-to-action.tsx';
import { aboutHeroPicture } from '../components/hero-pictures.ts';
import { PageHero } from '../components/page-hero.tsx';
import { PointGrid } from '../components/point-grid.tsx';
import { Prose } from '../components/prose.tsx';
import { Section } from '../components/section.tsx';
import { principles, tellStory } from './about/about-content.ts';

export function Screen() {
  const { name } = useSite();

  return (
    <>
      <PageHero
        label="About us"
        title="We began where the busywork was"
        description={`${name} started with a family confectionery business that had too little time for confectionery.`}
        picture={aboutHeroPicture}
      >
        <ButtonLink to={pathTo.contact()} variant="light">
          Get Your Free Assessment
        </ButtonLink>
      </PageHero>
      <Section id={anchors.story} heading="Our story" tone="white">
        <Prose>
          {tellStory(name).map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
        </Prose>
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
        buttonLabel="Get Your Free Assessment Today"
      />
    </>
  );
}

export function getMeta(): PageMeta {
  return {
    title: 'About Us',
    description:
      'How a family confectionery business that needed less busywork became a consultancy, and the three principles we work by: Impact, Optimism, and Fun.',
  };
}
