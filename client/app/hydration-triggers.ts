/** Attributes that make `start.ts` hydrate the page before the visitor interacts with it. */

/** Hydrates as soon as the page has loaded. */
export const hydrateNow = { 'data-hydrate-now': '' } as const;

/** Hydrates when the element comes near the viewport. */
export const hydrateWhenNear = { 'data-hydrate-near': '' } as const;

/** Hydrates once a media query matches, unless Save-Data is on. */
export const hydrateOnMedia = (query: string) => ({ 'data-hydrate-media': query }) as const;

/** Hydrates if session or local storage contains one of these keys. */
export const hydrateIfStored = (...keys: readonly string[]) => ({ 'data-hydrate-stored': keys.join(' ') }) as const;

/** The Network Information API, which some browsers lack. */
interface NavigatorWithConnection extends Navigator {
  readonly connection?: { readonly saveData?: boolean };
}

/** Returns whether the visitor has turned on Save-Data. */
export function prefersReducedData(): boolean {
  const { connection }: NavigatorWithConnection = navigator;

  return connection?.saveData === true;
}
