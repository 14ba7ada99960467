import type { ReactNode } from 'react';
import { getAccentClass, type AccentName } from '../../../shared/accents/accents.ts';
import type {
  SolutionPage,
  StepSection as StepSectionContent,
} from '../../../shared/content/solution-pages/solution-page.ts';
import { StepList } from '../../components/accordion.tsx';
import { PointGrid } from '../../components/point-grid.tsx';
import { Section, type SectionLook } from '../../components/section.tsx';
import { MappingTable } from './mapping-table.tsx';
import { PairList } from './pair-list.tsx';

/** The sections a vignette can stand in. */
export type VignetteSection = 'benefits' | 'platform';

/** The sections by which pages differ. */
type SectionName =
  | VignetteSection
  | 'challenges'
  | 'pairs'
  | 'mapping'
  | 'enterpriseBenefits'
  | 'howItWorks';

/** How the sections of one page look, where they don't look as on most pages. */
export type Rhythm = Readonly<Partial<Record<SectionName, SectionLook>>>;

interface SolutionSectionsProps {
  readonly page: SolutionPage;
  readonly vignette: ReactNode;
  /** The section whose words the vignette shows at work. */
  readonly vignetteSection: VignetteSection;
  readonly rhythm: Rhythm;
}

/** The sections between a solution's hero and its testimonial: those the page has words for. */
export function SolutionSections({ page, vignette, vignetteSection, rhythm }: SolutionSectionsProps) {
  const { challenges, pairs, benefits, enterpriseBenefits, platform, mapping } = page;

  const findPicture = (section: VignetteSection) => (section === vignetteSection ? vignette : undefined);

  return (
    <>
      {challenges && (
        <Section heading={challenges.heading} lead={challenges.lead} tone="white" {...rhythm.challenges}>
          <PointGrid points={challenges.points} />
        </Section>
      )}
      {pairs && (
        <Section heading={pairs.heading} lead={pairs.lead} tone="white" layout="split" {...rhythm.pairs}>
          <PairList pairs={pairs.pairs} />
        </Section>
      )}
      <Section
        heading={benefits.heading}
        lead={benefits.lead}
        picture={findPicture('benefits')}
        {...rhythm.benefits}
      >
        <PointGrid points={benefits.points} />
      </Section>
      {platform && (
        <Section
          heading={platform.heading}
          lead={platform.lead}
          tone="deep"
          picture={findPicture('platform')}
          {...rhythm.platform}
        >
          <PointGrid points={platform.points} />
        </Section>
      )}
      {mapping && (
        <Section heading={mapping.heading} lead={mapping.lead} tone="white" {...rhythm.mapping}>
          <MappingTable rows={mapping.rows} />
        </Section>
      )}
      {enterpriseBenefits && (
        <Section
          heading={enterpriseBenefits.heading}
          lead={enterpriseBenefits.lead}
          tone="tint"
          {...rhythm.enterpriseBenefits}
        >
          <PointGrid points={enterpriseBenefits.points} />
        </Section>
      )}
    </>
  );
}

interface StepSectionProps extends StepSectionContent {
  readonly accent: AccentName;
  readonly look: SectionLook | undefined;
}

/** How the work goes, in four steps, with a color of their own where the page asks for one. */
export function StepSection({ heading, steps, accent, look }: StepSectionProps) {
  return (
    <div className={getAccentClass(accent)}>
      <Section heading={heading} tone="white" layout="split" {...look}>
        <StepList steps={steps} />
      </Section>
    </div>
  );
}
