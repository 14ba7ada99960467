/** The one page vite-plugin-ssr knows (decision 001); its content is rendered by `renderer/`. */
export const Page = undefined;
