/** What the browser may know of the settings; made by one function in `shared/node/config`. */
export interface Site {
  readonly name: string;
  readonly legalEntity: string;
  readonly legalEmail: string;
  /** Origin without a trailing slash, e.g. `https://www.example.com`. */
  readonly publicUrl: string;
}

/** The year of the copyright line, as the owner specified it. */
export const COPYRIGHT_YEAR = 2025;

/** The response promise made to every visitor who asks for an assessment. */
export const RESPONSE_PROMISE = 'within 24 hours';
