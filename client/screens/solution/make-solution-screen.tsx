import { getAccentClass } from '../../../shared/accents/accents.ts';
import { getSolutionMeta, type SolutionPage } from '../../../shared/content/solution-pages/solution-page.ts';
import { findSolution, type SolutionSlug } from '../../../shared/content/solutions.ts';
import { pathTo } from '../../../shared/paths.ts';
import type { ScreenModule } from '../../app/screen-registry.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { CallToAction } from '../../components/call-to-action.tsx';
import { FigureRow } from '../../components/figure-row.tsx';
import { PageHero } from '../../components/page-hero.tsx';
import type { PictureSource } from '../../components/picture-source.ts';
import { TestimonialBand } from '../../components/testimonial-band.tsx';
import { SolutionSections, StepSection } from './solution-sections.tsx';
import styles from './solution.module.css';

/** The template all solutions share, filled with the words and the picture of one. */
export function makeSolutionScreen(
  slug: SolutionSlug,
  page: SolutionPage,
  heroPicture: PictureSource,
): Required<Pick<ScreenModule, 'Screen' | 'getMeta' | 'getHeroPicture'>> {
  const { name, accent, stepsAccent = accent, overlayOpacity = 0.5 } = findSolution(slug);

  function Screen() {
    return (
      <div className={`${getAccentClass(accent)} ${styles.page}`}>
        <PageHero
          title={page.headline}
          label={name}
          description={page.description}
          picture={heroPicture}
          overlayOpacity={overlayOpacity}
        >
          <ButtonLink to={pathTo.contact()}>{page.ctaLabel}</ButtonLink>
        </PageHero>
        <FigureRow figures={page.figures} />
        <SolutionSections page={page} />
        <TestimonialBand testimonials={[page.testimonial]} />
        <StepSection {...page.howItWorks} accent={stepsAccent} />
        <CallToAction heading={page.closing.title} text={page.closing.text} />
      </div>
    );
  }

  return {
    Screen,
    getMeta: () => getSolutionMeta(page),
    getHeroPicture: () => heroPicture,
  };
}
