import { fileURLToPath } from 'node:url';

/** Where the originals are. */
const FOLDER = fileURLToPath(new URL('../../client/assets/pictures/articles/', import.meta.url));

/** As much of a Markdown syntax tree (https://github.com/syntax-tree/mdast) as is used here. */
interface Tree {
  readonly children: { readonly type: string; readonly value?: string; readonly data?: object }[];
}

/** `export { default as picture } from '…'` as a node of the tree, with its ESTree. */
function makeExport(source: string): Tree['children'][number] {
  const specifier = {
    type: 'ExportSpecifier',
    local: { type: 'Identifier', name: 'default' },
    exported: { type: 'Identifier', name: 'picture' },
  };
  const statement = {
    type: 'ExportNamedDeclaration',
    specifiers: [specifier],
    attributes: [],
    source: { type: 'Literal', value: source },
  };


  return {
    type: 'mdxjsEsm',
    data: { estree: { type: 'Program', sourceType: 'module', body: [statement] } },
  };
}

/**
 * A remark plugin: a text whose front matter names a picture exports it, as made for an article.
 * So the chunk of an article has its own picture's addresses, and no other's.
 */
export function exportPicture() {
  return (tree: Tree): void => {
    const matter = tree.children.find(({ type }) => type === 'yaml');
    const [, name] = /^picture: (\S+)$/m.exec(matter?.value ?? '') ?? [];
    if (name !== undefined) tree.children.push(makeExport(`${FOLDER}${name}.jpg?article`));
  };
}
