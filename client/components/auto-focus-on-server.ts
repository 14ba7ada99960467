/**
 * Returns attributes that autofocus an element without scripts. Only the server renders them. If React set them during
 * hydration, it would steal focus from the field the visitor is typing in.
 */
export const autoFocusOnServer = (hasFocus: boolean) => ({
  autoFocus: import.meta.env.SSR && hasFocus,
  suppressHydrationWarning: true,
});
