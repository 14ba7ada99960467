import postcss, { type ChildNode } from 'postcss';
import type { Plugin } from 'vite';
import type { CriticalStyles } from '../../shared/document-assets.ts';

/** Layers whose rules documents carry themselves; `client/styles/index.css` orders them. */
const FIRST_VIEW = 'first-view';
const CRITICAL_LAYERS = ['tokens', 'base', FIRST_VIEW];
/** The layer whose rules are a sheet of their own. */
const VIGNETTES = 'vignettes';

/** Name of the file the critical rules are written to, in the client build's folder. */
export const CRITICAL_STYLES_FILE = 'critical-styles.json';

/** The classes of a rule, and of what is nested in it. */
function listClasses(node: ChildNode): string[] {
  const selectors = node.type === 'rule' ? [node.selector] : [];
  if (node.type === 'rule' || node.type === 'atrule') node.walkRules(({ selector }) => void selectors.push(selector));
  const names = selectors.flatMap((selector) => selector.match(/\.-?[_a-zA-Z][\w-]*/g) ?? []);

  return [...new Set(names.map((name) => name.slice(1)))];
}

/**
 * Splits a style sheet by its cascade layers: what documents carry, with what stands outside of layers; what they
 * don't carry, or only where they need it; and apart from these the vignettes' rules.
 * @throws when a rule of the first view has no class
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
        // Keyframes belong to no layer.
        if (rule.type === 'atrule' && rule.name === 'keyframes') forAll.append(rule.clone());
        else byClass.push({ classes: listClasses(rule), css: rule.toString() });
      });
    }
  }
  const classless = byClass.find(({ classes }) => classes.length === 0);
  if (classless) throw new Error(`No class tells which documents need: ${classless.css}`);

  return {
    critical: { forAll: forAll.toString(), layer: FIRST_VIEW, byClass },
    rest: rest.toString(),
    vignettes: { css: vignettes.toString(), classes: vignettes.nodes.flatMap(listClasses) },
  };
}

/**
 * Splits the site's one style sheet. The rules of the first view go into a file of their own, from
 * which the server puts into each document what it needs; the sheet has them too, for what
 * React shows later. The vignettes' rules go into a sheet of their own, which pages without one don't load.
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
