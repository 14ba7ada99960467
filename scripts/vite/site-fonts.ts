import { join } from 'node:path';
import type { Plugin } from 'vite';
import { projectRoot } from '../processes.ts';
import { makeSubsetFonts } from './subset-fonts.ts';

const STYLES = 'virtual:fonts.css';
const FILES = 'virtual:font-files';
const modules = [STYLES, FILES];

/**
 * Gives `virtual:fonts.css`, the `@font-face` rules with the two font tokens, and
 * `virtual:font-files`, whose export `fontFiles` lists the URLs to preload.
 */
export function siteFonts(): Plugin {
  let fonts: ReturnType<typeof makeSubsetFonts>;

  return {
    name: 'site-fonts',
    buildStart: () => {
      fonts = makeSubsetFonts(join(projectRoot, 'node_modules', '.cache', 'fonts'));
    },
    resolveId: (id) => (modules.includes(id) ? `\0${id}` : undefined),
    async load(id) {
      if (!modules.includes(id.slice(1))) return undefined;
      const { display, text } = await fonts;
      if (id === `\0${STYLES}`) {
        return `${display.faces}
${text.faces}
@layer tokens {
  :root {
    --font-display: ${display.stack}, serif;
    --font-text: ${text.stack}, system-ui, sans-serif;
  }
}`;
      }

      return `import display from '${display.file}?url';
import text from '${text.file}?url';
export const fontFiles = [display, text];`;
    },
  };
}
