import { homePage } from '#content/home-page';
import { anchors, pathTo } from '../../shared/paths.ts';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { fillSitePlaceholders, type Site } from '../../shared/site.ts';
import landscape from '#files/pictures/hero-home.jpg?hero';
import portrait from '#files/pictures/hero-home-portrait.jpg?portrait';
import mp4 from '#files/videos/hero-home.mp4';
import webm from '#files/videos/hero-home.webm';
import { useSite } from '../app/page-state.tsx';
import { StepList } from '../components/accordion.tsx';
import { BackgroundVideo } from '../components/background-video.tsx';
import { ButtonLink } from '../components/button-link.tsx';
import { CallToAction } from '../components/call-to-action.tsx';
import { PageHero, type HeroBackground } from '../components/page-hero.tsx';
import { PointGrid } from '../components/point-grid.tsx';
import { Section } from '../components/section.tsx';
import { ServerOnly } from '../components/server-only.tsx';
import { TestimonialBand } from '../components/testimonial-band.tsx';
import { Scene as Desk } from '../features/vignettes/desk-vignette.tsx';
import { Scene as Steps } from '../features/vignettes/steps-vignette.tsx';
import styles from './home-screen.module.css';
import { SolutionGrid } from './home/solution-grid.tsx';

/** A headline that doesn't break at hyphens. */
function Headline({ text }: { readonly text: string }) {
  return text.split(/(\S+-\S+)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={part} className={styles.compound}>
        {part}
      </span>
    ),
  );
}

/** Also used by the video test page. Moving it to a separate file would add a request. */
export const homeHero: Required<HeroBackground> = {
  picture: { landscape, portrait },
  video: <BackgroundVideo source={{ webm, mp4 }} />,
};

const desk = <ServerOnly>{import.meta.env.SSR && <Desk />}</ServerOnly>;
const steps = <ServerOnly>{import.meta.env.SSR && <Steps />}</ServerOnly>;

export function Screen() {
  const site = useSite();
  const { results, solutions, howWeWork, testimonials, closing } = homePage;

  return (
    <>
      <PageHero title={<Headline text={homePage.headline} />} description={fillSitePlaceholders(homePage.description, site)} {...homeHero}>
        <ButtonLink href={pathTo.contact()}>{homePage.ctaLabel}</ButtonLink>
        <ButtonLink href={`#${anchors.solutions}`} variant="quiet">
          {homePage.exploreLabel}
        </ButtonLink>
      </PageHero>
      <Section heading={results.heading} tone="white" picture={desk}>
        <PointGrid points={results.points} />
      </Section>
      <Section id={anchors.solutions} {...solutions}>
        <SolutionGrid />
      </Section>
      {testimonials.length > 0 && <TestimonialBand testimonials={testimonials} />}
      <Section heading={howWeWork.heading} lead={howWeWork.lead} tone="white" picture={steps}>
        <StepList steps={howWeWork.steps} />
      </Section>
      <CallToAction heading={closing.title} text={fillSitePlaceholders(closing.text, site)} />
    </>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).home;
}

export const getHeroPicture = () => homeHero.picture;
