/** Maximum number of visited pages to store (the latest). In its own file because the browser's first script imports it. */
export const MAX_VISITED_PATHS = 20;
