import type { Plugin } from 'vite';

const ICON_MODULE = /\/lucide-react\/dist\/esm\/icons\//;

/**
 * Takes the keys out of the icons' shapes: React looks at them while developing only, and as random
 * letters they are a hundredth of what every page's scripts weigh.
 */
export function iconKeys(): Plugin {
  return {
    name: 'icon-keys',
    apply: 'build',
    transform: (code, id) =>
      ICON_MODULE.test(id) ? { code: code.replace(/,\s*key: "\w+"/g, ''), map: null } : undefined,
  };
}
