import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

function describeFlakyTest(test: TestCase): string {
  const [first] = test.result().errors ?? [];
  const reason = [first?.message, first?.diff && stripVTControlCharacters(first.diff)].filter(Boolean).join('\n');

  return `  ${test.module.relativeModuleId} > ${test.fullName}\n${reason.replaceAll(/^/gm, '    ')}`;
}

/** Names the tests that passed only at their second try, with what the first one failed of. */
export default class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => test.diagnostic()?.flaky);
    if (flaky.length === 0) return;
    console.log([`Passed at the second try (${flaky.length}):`, ...flaky.map(describeFlakyTest)].join('\n'));
  }
}
