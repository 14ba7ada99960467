import { deriveAccentScheme } from '../../shared/accents/accent-scheme.ts';
import { accents, getAccentClass, type AccentName } from '../../shared/accents/accents.ts';
import { virtualModules } from './virtual-modules.ts';

function writeRule(name: AccentName): string {
  const scheme = deriveAccentScheme(accents[name]);

  return `.${getAccentClass(name)} {
  --accent: ${scheme.primary};
  --accent-darker: ${scheme.darker};
  --accent-darkest: ${scheme.darkest};
  --accent-lighter: ${scheme.lighter};
  --accent-lightest: ${scheme.lightest};
  --accent-solid: ${scheme.solid};
  --accent-text: ${scheme.text};
  --accent-on-deep: ${scheme.onDeep};
}`;
}

/** Gives `virtual:accents.css`: a class per accent with the custom properties of its scheme; documents carry those they have. */
export const accentStyles = () =>
  virtualModules('accent-styles', {
    'virtual:accents.css': () =>
      `@layer first-view {\n${(Object.keys(accents) as AccentName[]).map(writeRule).join('\n')}\n}`,
  });
