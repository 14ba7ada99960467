/** vite-plugin-ssr sees one page; React Router owns the routes behind it (decision 001). */
export default '/*';
