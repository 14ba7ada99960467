/** The public settings. Created by `shared/node/config`. */
export interface Site {
  readonly name: string;
  readonly legalEntity: string;
  readonly legalEmail: string;
  /** Origin without a trailing slash, e.g. `https://www.example.com`. */
  readonly publicUrl: string;
  /** Page for booking a call. */
  readonly bookingUrl?: string;
  /** Overrides the specification's response promise. It must not name a day, because pages are cached. */
  readonly promise?: PromiseWords | undefined;
}

/** The response promise in words that follow "We answer". */
export interface PromiseWords {
  /** `within 8 business hours` */
  readonly short: string;
  /** `within 8 business hours (Mon–Fri 09:00–17:00, Europe/Vienna)` */
  readonly full: string;
}

/** Default from the specification. */
const SPECIFIED_PROMISE = 'within 24 hours';

/** Returns the response promise as used in all texts. @param form `full` includes the business hours */
export function getResponsePromise(
  { promise }: Pick<Site, 'promise'>,
  form: keyof PromiseWords = 'short',
): string {
  return promise?.[form] ?? SPECIFIED_PROMISE;
}

/** Replaces `{name}` placeholders in the owner's text. */
export const fillPlaceholders = (text: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce((filled, [name, value]) => filled.replaceAll(`{${name}}`, () => value), text);

/** Replaces `{name}`, `{promise}` and `{fullPromise}` in the owner's text. */
export const fillSitePlaceholders = (text: string, site: Pick<Site, 'name' | 'promise'>): string =>
  fillPlaceholders(text, { name: site.name, promise: getResponsePromise(site), fullPromise: getResponsePromise(site, 'full') });
