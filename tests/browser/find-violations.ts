import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The accessibility rules a page breaks (WCAG 2.2 A and AA), with the elements that break them. */
export async function findViolations(page: Page): Promise<[string, string[]][]> {
  // There are no frames, for which the slower way would open another page; and of what keeps a rule
  // nothing needs to be described, which takes a quarter of the time.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .withTags(tags)
    .analyze();

  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
