// What benchmarks use of packages that only they need: the type check does without them (decision 084).

declare module 'chrome-launcher' {
  /** A Chromium with its debugger at `port`. */
  export function launch(options: {
    readonly chromePath: string;
    readonly chromeFlags: readonly string[];
  }): Promise<{ readonly port: number; readonly kill: () => void }>;
}

declare module 'lighthouse' {
  export interface Result {
    readonly audits: Readonly<
      Record<string, { readonly numericValue?: number; readonly details?: unknown }>
    >;
    /** Scores from 0 to 1, or null for one that could not be measured. */
    readonly categories: Readonly<Record<string, { readonly score: number | null }>>;
    readonly runtimeError?: { readonly message: string };
  }

  export const desktopConfig: object;

  /** @returns undefined where there is nothing to report */
  export default function lighthouse(
    url: string,
    flags: { readonly port: number; readonly output: 'json'; readonly logLevel: 'silent' },
    config: object | undefined,
  ): Promise<{ readonly lhr: Result } | undefined>;
}
