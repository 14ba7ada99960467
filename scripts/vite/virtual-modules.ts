import type { Plugin } from 'vite';

/** A plugin with modules that are no files. @param modules their texts, by their names */
export const virtualModules = (
  name: string,
  modules: Readonly<Record<string, () => string | Promise<string>>>,
): Plugin => ({
  name,
  resolveId: (id) => (Object.hasOwn(modules, id) ? `\0${id}` : undefined),
  load: (id) => (id.startsWith('\0') ? modules[id.slice(1)]?.() : undefined),
});
