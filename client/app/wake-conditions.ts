/** Attributes that make `start.ts` hydrate the page before the visitor interacts with it. */

/** Hydrates at once: for the server's response to a form. */
export const wakeNow = { 'data-wake-now': '' } as const;

/** Hydrates when the element comes near the viewport. */
export const wakeWhenNear = { 'data-wake-near': '' } as const;

/** Hydrates while a media query matches, unless Save-Data is on. */
export const wakeOnMedia = (query: string) => ({ 'data-wake-media': query }) as const;

/** Hydrates if session or local storage contains one of these keys. */
export const wakeWhenStored = (...keys: readonly string[]) => ({ 'data-wake-stored': keys.join(' ') }) as const;

/** The Network Information API, which not every browser has. */
interface NavigatorWithConnection extends Navigator {
  readonly connection?: { readonly saveData?: boolean };
}

/** Returns whether the visitor has turned on Save-Data. */
export function savesData(): boolean {
  const { connection }: NavigatorWithConnection = navigator;

  return connection?.saveData === true;
}
