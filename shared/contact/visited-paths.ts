/** How many visited pages are stored (the latest). In its own file because the browser's first script imports it. */
export const MAX_VISITED_PATHS = 20;
