/** vite-plugin-ssr's single page (decision 001). `renderer/` renders its content. */
export const Page = undefined;
