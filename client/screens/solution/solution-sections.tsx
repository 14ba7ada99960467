import { getAccentClass, type AccentName } from '../../../shared/accents/accents.ts';
import type {
  SolutionPage,
  StepSection as StepSectionContent,
} from '../../../shared/content/solution-pages/solution-page.ts';
import { StepList } from '../../components/accordion.tsx';
import { PointGrid } from '../../components/point-grid.tsx';
import { Section } from '../../components/section.tsx';
import { MappingTable } from './mapping-table.tsx';
import { PairList } from './pair-list.tsx';

/** The sections between a solution's hero and its testimonial: those the page has words for. */
export function SolutionSections({ page }: { page: SolutionPage }) {
  const { challenges, pairs, benefits, enterpriseBenefits, platform, mapping } = page;

  return (
    <>
      {challenges && (
        <Section heading={challenges.heading} lead={challenges.lead} tone="white">
          <PointGrid points={challenges.points} />
        </Section>
      )}
      {pairs && (
        <Section heading={pairs.heading} lead={pairs.lead} tone="white" layout="split">
          <PairList pairs={pairs.pairs} />
        </Section>
      )}
      <Section heading={benefits.heading} lead={benefits.lead}>
        <PointGrid points={benefits.points} />
      </Section>
      {platform && (
        <Section heading={platform.heading} lead={platform.lead} tone="deep">
          <PointGrid points={platform.points} />
        </Section>
      )}
      {mapping && (
        <Section heading={mapping.heading} lead={mapping.lead} tone="white">
          <MappingTable rows={mapping.rows} />
        </Section>
      )}
      {enterpriseBenefits && (
        <Section heading={enterpriseBenefits.heading} lead={enterpriseBenefits.lead} tone="tint">
          <PointGrid points={enterpriseBenefits.points} />
        </Section>
      )}
    </>
  );
}

interface StepSectionProps extends StepSectionContent {
  readonly accent: AccentName;
}

/** How the work goes, in four steps, with a color of their own where the page asks for one. */
export function StepSection({ heading, steps, accent }: StepSectionProps) {
  return (
    <div className={getAccentClass(accent)}>
      <Section heading={heading} tone="white" layout="split">
        <StepList steps={steps} />
      </Section>
    </div>
  );
}
