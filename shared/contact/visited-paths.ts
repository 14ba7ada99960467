/** How many pages of a visit are kept and stored: the last ones. Beside its reader the browser's first script loads it. */
export const MAX_VISITED_PATHS = 20;
