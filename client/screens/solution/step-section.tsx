import { getAccentClass, type AccentName } from '../../../shared/accents/accents.ts';
import type { StepSection as StepSectionContent } from '../../../shared/content/solution-pages/solution-page.ts';
import { Section } from '../../components/section.tsx';
import { StepList } from '../../components/step-list.tsx';

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
