/** For vite-plugin-ssr, the site is a single page. React Router matches the routes (decision 001). */
export default '/*';
