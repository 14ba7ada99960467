import { useParams } from 'react-router-dom';
import { solutionPages } from '../../shared/content/solution-pages/solution-pages.ts';
import { findSolutionBySlug } from '../../shared/content/solutions.ts';
import { pathTo } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';
import type { PageMeta } from '../app/page-meta.ts';
import type { ScreenParams } from '../app/screen-registry.ts';
import { ButtonLink } from '../components/button-link.tsx';
import { CallToAction } from '../components/call-to-action.tsx';
import { FigureRow } from '../components/figure-row.tsx';
import { NotFoundMessage } from '../components/not-found-message.tsx';
import { PageHero } from '../components/page-hero.tsx';
import { PointGrid } from '../components/point-grid.tsx';
import { Section } from '../components/section.tsx';

/** The template all solutions share. */
export function Screen() {
  const solution = findSolutionBySlug(useParams().slug);
  if (!solution) return <NotFoundMessage />;
  const page = solutionPages[solution.slug];

  return (
    <>
      <PageHero title={page.headline} label={solution.name} description={page.description}>
        <ButtonLink to={pathTo.contact()} variant="light">
          {page.ctaLabel}
        </ButtonLink>
      </PageHero>
      <Section heading={page.challenges.heading} tone="white">
        <PointGrid points={page.challenges.points} />
      </Section>
      <Section heading={page.benefits.heading}>
        <PointGrid points={page.benefits.points} />
      </Section>
      <Section
        heading="What clients typically see"
        lead="Results depend on where you start. The assessment tells you what to expect in your case."
        tone="deep"
      >
        <FigureRow figures={page.figures} />
      </Section>
      <CallToAction
        heading="See what this would change for you"
        text={page.closing}
        buttonLabel="Get Your Free Assessment Today"
      />
    </>
  );
}

export function getMeta(_site: Site, { slug }: ScreenParams): PageMeta | undefined {
  const solution = findSolutionBySlug(slug);
  if (!solution) return undefined;
  const { metaTitle, metaDescription } = solutionPages[solution.slug];

  return { title: metaTitle, description: metaDescription };
}
