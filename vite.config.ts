import react from '@vitejs/plugin-react';
import ssr from 'vite-plugin-ssr/plugin';
import { defineConfig } from 'vite';

export default defineConfig(({ command }) => ({
  root: 'client',
  plugins: [react(), ssr()],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    // The content policy allows images from our own origin only, not `data:`.
    assetsInlineLimit: 0,
    // The preload polyfill would be one more script; every browser we build for has modulepreload.
    modulePreload: { polyfill: false },
  },
  // React and the router are bundled into the server build, so that the production form of React
  // is used whatever NODE_ENV the process runs with, and the image need not install them.
  ssr: command === 'build' ? { noExternal: true, external: ['vite-plugin-ssr'] } : {},
  // `shared/` lies beside the Vite root.
  server: { fs: { allow: ['..'] } },
}));
