import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createElement, type ComponentType } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { Plugin } from 'vite';
import { iconNames, type IconName } from '../../shared/content/icon-name.ts';
import { projectRoot } from '../processes.ts';

/** Draws an icon of the library as a symbol: its shapes without the attributes of the icon around them. */
async function drawSymbol(name: IconName): Promise<string> {
  const { default: icon } = (await import(`lucide-react/icons/${name}`)) as { default: ComponentType };
  const shapes = renderToStaticMarkup(createElement(icon)).replace(/^<svg[^>]*>|<\/svg>$/g, '');

  return `<symbol id="${name}" viewBox="0 0 24 24">${shapes}</symbol>`;
}

/** Draws all icons that content names into one SVG document. */
export async function drawSprite(): Promise<string> {
  const symbols = await Promise.all(iconNames.map(drawSymbol));

  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`;
}

async function writeSprite(folder: string): Promise<string> {
  const file = join(folder, 'icons.svg');
  await mkdir(folder, { recursive: true });
  await writeFile(file, await drawSprite());

  return file;
}

const MODULE = 'virtual:icon-sprite';
const RESOLVED = `\0${MODULE}`;

/** Gives `virtual:icon-sprite`, whose default export is the URL of the sprite. */
export function iconSprite(): Plugin {
  let sprite: Promise<string>;

  return {
    name: 'icon-sprite',
    buildStart: () => {
      sprite = writeSprite(join(projectRoot, 'node_modules', '.cache', 'icons'));
    },
    resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
    load: async (id) => (id === RESOLVED ? `export { default } from '${await sprite}?url';` : undefined),
  };
}
