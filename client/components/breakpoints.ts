/** Media query for screens up to the mobile breakpoint of 768 px. */
export const MOBILE = '(width <= 48em)';

export const BEYOND_MOBILE = '(width > 48em)';
