import type { ReactNode } from 'react';
import { getAccentClass } from '../../../shared/accents/accents.ts';
import type { SolutionPage } from '../../../shared/content/solution-schema.ts';
import { readPageMeta } from '../../../shared/content/page-meta.ts';
import { pathTo } from '../../../shared/paths.ts';
import type { ScreenModule } from '../../app/screen-registry.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { CallToAction } from '../../components/call-to-action.tsx';
import { FigureRow } from '../../components/figure-row.tsx';
import { PageHero } from '../../components/page-hero.tsx';
import type { PictureSource } from '../../components/picture-source.ts';
import { ServerOnly } from '../../components/server-only.tsx';
import { TestimonialBand } from '../../components/testimonial-band.tsx';
import { SolutionSections, StepSection } from './solution-sections.tsx';
import styles from './solution.module.css';

/** Returns a solution's screen, made from its content file. */
export function makeSolutionScreen(
  page: Omit<SolutionPage, 'picture' | 'cardPicture' | 'cardText' | 'vignette' | 'hasEstimate'>,
  heroPicture: PictureSource,
  /** Rendered on the server only. */
  vignette: ReactNode,
  /** An optional section before the testimonial. */
  estimateSection: ReactNode,
): Required<Pick<ScreenModule, 'Screen' | 'getMeta' | 'getHeroPicture'>> {
  const { name, accent, stepsAccent = accent, overlayOpacity, testimonial } = page;

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
        {page.figures.length > 0 && <FigureRow figures={page.figures} />}
        <SolutionSections
          page={page}
          vignette={vignette !== undefined && <ServerOnly>{vignette}</ServerOnly>}
        />
        {estimateSection}
        {testimonial && <TestimonialBand testimonials={[testimonial]} />}
        <StepSection {...page.howItWorks} accent={stepsAccent} />
        <CallToAction heading={page.closing.title} text={page.closing.text} />
      </div>
    );
  }

  return {
    Screen,
    getMeta: () => readPageMeta(page),
    getHeroPicture: () => heroPicture,
  };
}
