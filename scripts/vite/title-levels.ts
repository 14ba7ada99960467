/** As much of a Markdown syntax tree (https://github.com/syntax-tree/mdast) as is read here. */
interface Block {
  readonly type: string;
  /** Of a heading. */
  readonly depth?: number;
  /** Of a component. */
  readonly attributes?: { readonly type: string; readonly name: string; readonly value: unknown }[];
}

/**
 * A remark plugin: passes each component with a title the level of that title as a heading, one below
 * the heading the component stands under.
 */
export function passTitleLevels() {
  return ({ children }: { readonly children: readonly Block[] }): void => {
    let level = 1;
    for (const { type, depth, attributes } of children) {
      if (type === 'heading' && depth !== undefined) level = depth;
      if (type !== 'mdxJsxFlowElement' || !attributes?.some(({ name }) => name === 'title')) continue;
      attributes.push({ type: 'mdxJsxAttribute', name: 'level', value: String(level + 1) });
    }
  };
}
