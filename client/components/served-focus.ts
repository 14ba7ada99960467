/**
 * Focus of pages that work without scripts: only the server sets it, because in the browser React would move the focus
 * when it hydrates, away from where the visitor types by then.
 */
export const getServedFocus = (hasFocus: boolean) => ({
  autoFocus: import.meta.env.SSR && hasFocus,
  suppressHydrationWarning: true,
});
