/** Screens up to the mobile breakpoint, 768 px (specification, section 9), as a media query. */
export const MOBILE = '(width <= 48em)';

/** Screens beyond it. */
export const BEYOND_MOBILE = '(width > 48em)';
