import type { Plugin } from 'vite';

/** Returns a plugin that provides virtual modules. @param modules functions that return a module's code, by name */
export const virtualModules = (
  name: string,
  modules: Readonly<Record<string, () => string | Promise<string>>>,
): Plugin => ({
  name,
  resolveId: (id) => (Object.hasOwn(modules, id) ? `\0${id}` : undefined),
  load: (id) => (id.startsWith('\0') ? modules[id.slice(1)]?.() : undefined),
});
