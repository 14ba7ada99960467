// Types for a package that only mutation tests need. With them, the type check works without the package.

declare module '@stryker-mutator/core' {
  /** @see https://stryker-mutator.io/docs/stryker-js/configuration/ for the options */
  export class Stryker {
    constructor(options: Readonly<Record<string, unknown>>);
    runMutationTest(): Promise<unknown>;
  }
}
