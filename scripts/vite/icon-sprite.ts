import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createElement, type ComponentType } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { iconNames, type IconName } from '../../shared/content/icon-name.ts';
import { projectRoot } from '../processes.ts';
import { virtualModules } from './virtual-modules.ts';

/** Returns an icon from the library as a symbol: its shapes without the `<svg>` element. */
async function drawSymbol(name: IconName): Promise<string> {
  const { default: icon } = (await import(`lucide-react/icons/${name}`)) as { default: ComponentType };
  const shapes = renderToStaticMarkup(createElement(icon)).replace(/^<svg[^>]*>|<\/svg>$/g, '');

  return `<symbol id="${name}" viewBox="0 0 24 24">${shapes}</symbol>`;
}

/** Returns an SVG document with all icons that content can name. */
async function drawSprite(): Promise<string> {
  const symbols = await Promise.all(iconNames.map(drawSymbol));

  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`;
}

/** Provides `virtual:icon-sprite`, whose default export is the sprite's URL. */
export const iconSprite = () =>
  virtualModules('icon-sprite', {
    'virtual:icon-sprite': async () => {
      const folder = join(projectRoot, 'node_modules', '.cache', 'icons');
      const file = join(folder, 'icons.svg');
      await mkdir(folder, { recursive: true });
      await writeFile(file, await drawSprite());

      return `export { default } from '${file}?url';`;
    },
  });
