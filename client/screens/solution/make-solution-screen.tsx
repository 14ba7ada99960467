import type { ReactNode } from 'react';
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
import { ServedPart } from '../../components/served-part.tsx';
import { TestimonialBand } from '../../components/testimonial-band.tsx';
import { SolutionSections, StepSection, type Rhythm, type VignetteSection } from './solution-sections.tsx';
import styles from './solution.module.css';

interface SolutionLook {
  /** Rendered by the server only. */
  readonly vignette: ReactNode;
  readonly vignetteSection: VignetteSection;
  /** Of its own, so that no two pages are the same one in another color. */
  readonly rhythm: Rhythm;
}

/** The template all solutions share, filled with the words, the picture, the vignette and the rhythm of one. */
export function makeSolutionScreen(
  slug: SolutionSlug,
  page: SolutionPage,
  heroPicture: PictureSource,
  { vignette, vignetteSection, rhythm }: SolutionLook,
  /** What this page alone has, before its testimonial. */
  ownSection?: ReactNode,
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
          <ButtonLink href={pathTo.contact()}>{page.ctaLabel}</ButtonLink>
        </PageHero>
        <FigureRow figures={page.figures} />
        <SolutionSections
          page={page}
          vignette={<ServedPart>{vignette}</ServedPart>}
          vignetteSection={vignetteSection}
          rhythm={rhythm}
        />
        {ownSection}
        <TestimonialBand testimonials={[page.testimonial]} />
        <StepSection {...page.howItWorks} accent={stepsAccent} look={rhythm.howItWorks} />
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
