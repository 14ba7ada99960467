import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest (`npm test -- --times`): the last one to start would run alone at the end. */
const LONGEST = [
  'integration/delivery-model',
  'browser/every-page',
  'integration/ops-archive',
  'browser/insights',
  'integration/ops-repository',
  'browser/going-back',
  'integration/ops-restore',
  'browser/articles',
  'integration/traces',
  'browser/trusted-types',
  'integration/schema-upgrades',
  'browser/budgets',
  'integration/ops-backup',
];

function rank({ moduleId }: TestSpecification): number {
  const index = LONGEST.findIndex((name) => moduleId.includes(`/tests/${name}`));

  return index === -1 ? LONGEST.length : index;
}

const isIn = (folder: string) => ({ moduleId }: TestSpecification): boolean => moduleId.includes(`/tests/${folder}/`);

/**
 * Starts the longest files first, and one of the browser in turn with one of integration: a browser keeps the
 * processor busy, and most of the others wait for a process or a mail. Unit tests come last.
 */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
    const [integration, browser] = [sorted.filter(isIn('integration')), sorted.filter(isIn('browser'))];
    const length = Math.max(integration.length, browser.length);
    const inTurn = Array.from({ length }, (_, index) => [integration[index], browser[index]])
      .flat()
      .filter((file) => file !== undefined);

    return [...inTurn, ...sorted.filter((file) => !inTurn.includes(file))];
  }
}
