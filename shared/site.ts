/** What the browser may know of the settings; made by one function in `shared/node/config`. */
export interface Site {
  readonly name: string;
  readonly legalEntity: string;
  readonly legalEmail: string;
  /** Origin without a trailing slash, e.g. `https://www.example.com`. */
  readonly publicUrl: string;
  /** Where visitors may pick a time themselves. */
  readonly bookingUrl?: string;
  /** By when a visitor is answered, unless it is the specification's promise. Pages are cached, so it names no day. */
  readonly promise?: PromiseWords | undefined;
}

/** The response promise in words that follow "We answer". */
export interface PromiseWords {
  /** `within 8 business hours` */
  readonly short: string;
  /** `within 8 business hours (Mon–Fri 09:00–17:00, Europe/Vienna)` */
  readonly full: string;
}

/** The response promise as the specification has it. */
const SPECIFIED_PROMISE = 'within 24 hours';

/**
 * The response promise made to every visitor who asks for an assessment: every text says it by this function.
 * @param form `full` names the business hours, for the places where the promise is made
 */
export function getResponsePromise(
  { promise }: Pick<Site, 'promise'>,
  form: keyof PromiseWords = 'short',
): string {
  return promise?.[form] ?? SPECIFIED_PROMISE;
}

/** Fills values into a text of the owner's, each in the place of its name in braces. */
export const fillPlaceholders = (text: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce((filled, [name, value]) => filled.replaceAll(`{${name}}`, () => value), text);

/** Fills the site's name and the response promise into a text of the owner's: `{name}`, `{promise}`, `{fullPromise}`. */
export const fillIn = (text: string, site: Pick<Site, 'name' | 'promise'>): string =>
  fillPlaceholders(text, { name: site.name, promise: getResponsePromise(site), fullPromise: getResponsePromise(site, 'full') });
