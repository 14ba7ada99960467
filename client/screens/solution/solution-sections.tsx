import type { ReactNode } from 'react';
import { getAccentClass } from '../../../shared/accents/accents.ts';
import type { SectionLook, SolutionPage, StepSection as StepSectionContent } from '../../../shared/content/solution-schema.ts';
import { StepList } from '../../components/accordion.tsx';
import { PointGrid } from '../../components/point-grid.tsx';
import { Section } from '../../components/section.tsx';
import { MappingTable } from './mapping-table.tsx';
import { PairList } from './pair-list.tsx';

/** The default look of each section between the hero and the testimonial. */
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

function renderContent(section: NonNullable<SolutionPage[SectionName]>) {
  if ('pairs' in section) return <PairList pairs={section.pairs} />;

  return 'rows' in section ? <MappingTable rows={section.rows} /> : <PointGrid points={section.points} />;
}

interface SolutionSectionsProps {
  readonly page: Pick<SolutionPage, SectionName | 'vignetteSection'>;
  readonly vignette: ReactNode;
}

/** The sections between the hero and the testimonial that the page has content for. */
export const SolutionSections = ({ page, vignette }: SolutionSectionsProps) =>
  names.map((name) => {
    const section = page[name];

    return (
      section && (
        <Section
          key={name}
          picture={name === page.vignetteSection ? vignette : undefined}
          {...looks[name]}
          {...section}
        >
          {renderContent(section)}
        </Section>
      )
    );
  });

interface StepSectionProps extends StepSectionContent {
  readonly accent: string;
}

/** The four steps of our process, optionally in their own accent color. */
export function StepSection({ steps, accent, ...section }: StepSectionProps) {
  return (
    <div className={getAccentClass(accent)}>
      <Section tone="white" layout="split" {...section}>
        <StepList steps={steps} />
      </Section>
    </div>
  );
}
