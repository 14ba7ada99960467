import postcss from 'postcss';
import type { Plugin } from 'vite';

/** Layers of which every document carries the rules itself; `client/styles/index.css` orders them. */
const CRITICAL_LAYERS = ['tokens', 'base', 'first-view'];

/** Name of the file the critical rules are written to, in the client build's folder. */
export const CRITICAL_STYLES_FILE = 'critical.css';

interface SplitStyles {
  readonly critical: string;
  readonly rest: string;
}

/**
 * Parts a style sheet by its cascade layers. What stands outside of layers (the order of the
 * layers, fonts) goes to the critical part.
 */
export function splitStyles(css: string): SplitStyles {
  const critical = postcss.root();
  const rest = postcss.root();
  for (const node of postcss.parse(css).nodes) {
    const isLayer = node.type === 'atrule' && node.name === 'layer' && node.nodes !== undefined;
    (isLayer && !CRITICAL_LAYERS.includes(node.params) ? rest : critical).append(node.clone());
  }

  return { critical: critical.toString(), rest: rest.toString() };
}

/**
 * Parts the site's one style sheet: the rules of the first view go into a file of their own,
 * which the server puts into every document; the rest stays.
 */
export function criticalStyles(): Plugin {
  return {
    name: 'critical-styles',
    apply: (_config, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const sheets = Object.values(bundle).filter(
          (output) => output.type === 'asset' && output.fileName.endsWith('.css'),
        );
        const [sheet] = sheets;
        if (sheets.length !== 1 || sheet?.type !== 'asset') {
          throw new Error(`Expected one style sheet, found ${sheets.length}.`);
        }
        const css = typeof sheet.source === 'string' ? sheet.source : Buffer.from(sheet.source).toString();
        const { critical, rest } = splitStyles(css);
        sheet.source = rest;
        this.emitFile({ type: 'asset', fileName: CRITICAL_STYLES_FILE, source: critical });
      },
    },
  };
}
