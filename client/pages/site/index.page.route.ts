/** vite-plugin-ssr has a single page. React Router owns the routes (decision 001). */
export default '/*';
