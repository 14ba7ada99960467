/** The hook vite-plugin-ssr calls. */
export { renderDocument as render } from './render-document.tsx';
