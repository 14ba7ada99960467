/**
 * Attributes that say when an element of the server's page needs React although nobody has touched the page yet
 * (`start.ts` reads them). The page of an element without one sleeps until the visitor acts.
 */

/** Needed at once: the server's response to a form, which goes on in the form. */
export const wakeNow = { 'data-wake-now': '' } as const;

/** Needed when the element comes near the screen. */
export const wakeWhenNear = { 'data-wake-near': '' } as const;

/** Needed while a media query matches, unless the visitor asked for less data. */
export const wakeOnMedia = (query: string) => ({ 'data-wake-media': query }) as const;

/** Needed when the browser's storages have an entry under one of these keys. */
export const wakeWhenStored = (...keys: readonly string[]) => ({ 'data-wake-stored': keys.join(' ') }) as const;

/** The part of the Network Information API that is used; not every browser has it. */
interface NavigatorWithConnection extends Navigator {
  readonly connection?: { readonly saveData?: boolean };
}

/** Whether the visitor asked for less data (Save-Data). */
export function savesData(): boolean {
  const { connection }: NavigatorWithConnection = navigator;

  return connection?.saveData === true;
}
