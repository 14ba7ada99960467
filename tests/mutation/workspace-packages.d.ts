// Types of a package that only mutation tests need, so that the type check works without it.

declare module '@stryker-mutator/core' {
  /** @see https://stryker-mutator.io/docs/stryker-js/configuration/ for the options */
  export class Stryker {
    constructor(options: Readonly<Record<string, unknown>>);
    runMutationTest(): Promise<unknown>;
  }
}
