/**
 * Returns attributes that autofocus an element without scripts. Only the server renders them. During hydration, React
 * would take the focus from the field the visitor is typing in.
 */
export const autoFocusOnServer = (hasFocus: boolean) => ({
  autoFocus: import.meta.env.SSR && hasFocus,
  suppressHydrationWarning: true,
});
