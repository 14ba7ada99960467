import postcss, { type ChildNode } from 'postcss';
import type { Plugin } from 'vite';
import type { CriticalStyles } from '../../shared/document-assets.ts';

/** Layers whose rules are inlined into documents, in the order of `client/styles/index.css`. */
const FIRST_VIEW = 'first-view';
const CRITICAL_LAYERS = ['tokens', 'base', FIRST_VIEW];
/** The layer that becomes a separate sheet. */
const VIGNETTES = 'vignettes';

/** File with the critical rules in the client build's folder. */
export const CRITICAL_STYLES_FILE = 'critical-styles.json';

/** Returns the classes in a rule and in the rules nested in it. */
function listClasses(node: ChildNode): string[] {
  const selectors = node.type === 'rule' ? [node.selector] : [];
  if (node.type === 'rule' || node.type === 'atrule') node.walkRules(({ selector }) => void selectors.push(selector));
  const names = selectors.flatMap((selector) => selector.match(/\.-?[_a-zA-Z][\w-]*/g) ?? []);

  return [...new Set(names.map((name) => name.slice(1)))];
}

/**
 * Splits a style sheet by cascade layer into the rules inlined into documents, the rest, and the vignettes' rules.
 * Rules outside any layer are inlined. The rest also includes the first-view rules.
 * @throws if a first-view rule has no class
 */
function splitStyles(css: string) {
  const [forAll, rest, vignettes] = [postcss.root(), postcss.root(), postcss.root()];
  const byClass: { classes: string[]; css: string }[] = [];
  for (const node of postcss.parse(css).nodes) {
    const layer = node.type === 'atrule' && node.name === 'layer' && node.nodes ? node : undefined;
    if (layer?.params === VIGNETTES) vignettes.append(node.clone());
    else if (layer && !CRITICAL_LAYERS.includes(layer.params)) rest.append(node.clone());
    else if (layer?.params !== FIRST_VIEW) forAll.append(node.clone());
    else {
      rest.append(node.clone());
      layer.each((rule) => {
        // Keyframes aren't in any layer.
        if (rule.type === 'atrule' && rule.name === 'keyframes') forAll.append(rule.clone());
        else byClass.push({ classes: listClasses(rule), css: rule.toString() });
      });
    }
  }
  const classless = byClass.find(({ classes }) => classes.length === 0);
  if (classless) throw new Error(`A rule of the first view needs a class: ${classless.css}`);

  return {
    critical: { forAll: forAll.toString(), layer: FIRST_VIEW, byClass },
    rest: rest.toString(),
    vignettes: { css: vignettes.toString(), classes: vignettes.nodes.flatMap(listClasses) },
  };
}

/**
 * Splits the site's style sheet. The server inlines into each document the critical rules it needs. The sheet keeps the
 * first-view rules for elements that React shows later. Only pages with a vignette load the vignettes' sheet.
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
        const { critical, rest, vignettes } = splitStyles(css);
        sheet.source = rest;
        const { css: source, classes } = vignettes;
        const file = this.getFileName(this.emitFile({ type: 'asset', name: 'vignettes.css', source }));
        const styles: CriticalStyles = { ...critical, vignettes: { file, classes } };
        this.emitFile({ type: 'asset', fileName: CRITICAL_STYLES_FILE, source: JSON.stringify(styles) });
      },
    },
  };
}
