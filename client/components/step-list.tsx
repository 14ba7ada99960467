import type { TitledText } from '../../shared/content/solution-pages/solution-page.ts';
import { Accordion } from './accordion.tsx';

/** Steps in their order; the first is open, and one always is. */
export function StepList({ steps }: { steps: readonly TitledText[] }) {
  return (
    <Accordion
      isOneAlwaysOpen
      items={steps.map(({ title, text }, index) => ({
        title,
        mark: index + 1,
        content: <p>{text}</p>,
      }))}
    />
  );
}
