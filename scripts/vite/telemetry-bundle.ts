import { build, type Plugin } from 'vite';

/** Packages that change how Node loads others. */
const LOADING_HOOKS: readonly string[] = ['import-in-the-middle', 'require-in-the-middle'];

/**
 * `@fastify/otel` stands on a class that can change other packages while they are loaded, and changes none. So the
 * bundle does without the hooks of Node's loader, which that class would set all the same.
 */
const withoutLoadingHooks: Plugin = {
  name: 'without-loading-hooks',
  enforce: 'pre',
  resolveId: (id) => (LOADING_HOOKS.includes(id) ? `\0${id}` : undefined),
  load: (id) => (LOADING_HOOKS.includes(id.slice(1)) ? 'export class Hook {}' : undefined),
};

/** Makes one file of what loads OpenTelemetry and of its packages, so that the image needs none of them (decision 069). */
export async function bundleTelemetry(root: string): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [withoutLoadingHooks],
    build: {
      ssr: 'shared/node/telemetry/open-telemetry.ts',
      outDir: 'dist/telemetry',
      target: 'node24',
      minify: 'esbuild',
    },
    ssr: { noExternal: true },
  });
}
