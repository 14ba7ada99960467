/**
 * Autofocus for pages without scripts. Only the server sets it: on hydration React would move the focus away from where
 * the visitor is typing.
 */
export const autoFocusOnServer = (hasFocus: boolean) => ({
  autoFocus: import.meta.env.SSR && hasFocus,
  suppressHydrationWarning: true,
});
