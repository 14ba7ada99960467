import { anchors, pathTo } from '../../shared/paths.ts';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { getResponsePromise, type Site } from '../../shared/site.ts';
import landscape from '../assets/pictures/hero-home.jpg?hero';
import portrait from '../assets/pictures/hero-home-portrait.jpg?portrait';
import mp4 from '../assets/videos/hero-home.mp4';
import webm from '../assets/videos/hero-home.webm';
import { useSite } from '../app/page-state.tsx';
import { StepList } from '../components/accordion.tsx';
import { BackgroundVideo } from '../components/background-video.tsx';
import { ButtonLink } from '../components/button-link.tsx';
import { CallToAction } from '../components/call-to-action.tsx';
import { PageHero, type HeroBackground } from '../components/page-hero.tsx';
import { PointGrid } from '../components/point-grid.tsx';
import { Section } from '../components/section.tsx';
import { ServedPart } from '../components/served-part.tsx';
import { TestimonialBand } from '../components/testimonial-band.tsx';
import { Scene as Desk } from '../features/vignettes/desk-vignette.tsx';
import { Scene as Steps } from '../features/vignettes/steps-vignette.tsx';
import styles from './home-screen.module.css';
import { pillars, processSteps, testimonials } from './home/home-content.ts';
import { SolutionGrid } from './home/solution-grid.tsx';

/** The site's headline message; its compound stays on one line. */
function Headline() {
  return (
    <>
      We handle the <span className={styles.compound}>non-revenue</span> work so you can focus on
      revenue
    </>
  );
}

/** Also for the background test page; in a file of its own it would be one more to fetch. */
export const homeHero: Required<HeroBackground> = {
  picture: { landscape, portrait },
  video: <BackgroundVideo source={{ webm, mp4 }} />,
};

const desk = <ServedPart>{import.meta.env.SSR && <Desk />}</ServedPart>;
const steps = <ServedPart>{import.meta.env.SSR && <Steps />}</ServedPart>;

export function Screen() {
  const site = useSite();

  return (
    <>
      <PageHero
        title={<Headline />}
        description="Invoices, contracts, vendors, reports: work that keeps a company running and earns nothing. We set up AI that does it, and we stay until it runs."
        {...homeHero}
      >
        <ButtonLink href={pathTo.contact()}>Free Business Transformation Assessment</ButtonLink>
        <ButtonLink href={`#${anchors.solutions}`} variant="quiet">
          Explore Solutions
        </ButtonLink>
      </PageHero>
      <Section heading="Three results we work toward" tone="white" picture={desk}>
        <PointGrid points={pillars} />
      </Section>
      <Section
        id={anchors.solutions}
        heading="Eight ways to take work off your desk"
        lead="Four services we carry out with your team, and four products that run every day."
      >
        <SolutionGrid />
      </Section>
      <TestimonialBand testimonials={testimonials} />
      <Section
        heading="How we work"
        lead="Four steps, in this order. You decide after each one whether to take the next."
        tone="white"
        picture={steps}
      >
        <StepList steps={processSteps} />
      </Section>
      <CallToAction
        heading="Start with what costs you the most time"
        text={`Tell us where the hours go. We answer ${getResponsePromise(site)} and find a time to talk, free and without obligation.`}
      />
    </>
  );
}

export function getMeta(site: Site): PageMeta {
  return makeStaticPageMeta(site).home;
}

export const getHeroPicture = () => homeHero.picture;
