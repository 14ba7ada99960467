// What mutation tests use of a package that only they need: the type check does without it.

declare module '@stryker-mutator/core' {
  /** @see https://stryker-mutator.io/docs/stryker-js/configuration/ for the options */
  export class Stryker {
    constructor(options: Readonly<Record<string, unknown>>);
    runMutationTest(): Promise<unknown>;
  }
}
