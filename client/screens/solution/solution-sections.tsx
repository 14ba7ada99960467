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

/** The sections between hero and testimonial in their order, and how they look on most pages. */
const looks = {
  challenges: { tone: 'white' },
  pairs: { tone: 'white', layout: 'split' },
  benefits: {},
  platform: { tone: 'deep' },
  mapping: { tone: 'white' },
  enterpriseBenefits: { tone: 'tint' },
} as const satisfies Readonly<Record<string, SectionLook>>;

type SectionName = keyof typeof looks;

const names = ['challenges', 'pairs', 'benefits', 'platform', 'mapping', 'enterpriseBenefits'] as const;

/** How the sections of one page look, where they don't look as on most pages. */
export type Rhythm = Readonly<Partial<Record<SectionName | 'howItWorks', SectionLook>>>;

function renderContent(section: NonNullable<SolutionPage[SectionName]>) {
  if ('pairs' in section) return <PairList pairs={section.pairs} />;

  return 'rows' in section ? <MappingTable rows={section.rows} /> : <PointGrid points={section.points} />;
}

interface SolutionSectionsProps {
  readonly page: SolutionPage;
  readonly vignette: ReactNode;
  /** The section whose words the vignette shows at work. */
  readonly vignetteSection: VignetteSection;
  readonly rhythm: Rhythm;
}

/** The sections between a solution's hero and its testimonial: those the page has words for. */
export const SolutionSections = ({ page, vignette, vignetteSection, rhythm }: SolutionSectionsProps) =>
  names.map((name) => {
    const section = page[name];

    return (
      section && (
        <Section
          key={name}
          heading={section.heading}
          lead={section.lead}
          picture={name === vignetteSection ? vignette : undefined}
          {...looks[name]}
          {...rhythm[name]}
        >
          {renderContent(section)}
        </Section>
      )
    );
  });

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
