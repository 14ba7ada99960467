import type { Plugin } from 'vite';
import { deriveAccentScheme } from '../../shared/accents/accent-scheme.ts';
import { accents, getAccentClass, type AccentName } from '../../shared/accents/accents.ts';

const MODULE = 'virtual:accents.css';
const RESOLVED = `\0${MODULE}`;

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
export function accentStyles(): Plugin {
  const rules = (Object.keys(accents) as AccentName[]).map(writeRule);

  return {
    name: 'accent-styles',
    resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
    load: (id) => (id === RESOLVED ? `@layer first-view {\n${rules.join('\n')}\n}` : undefined),
  };
}
