/** The part of a Markdown syntax tree that is used here (https://github.com/syntax-tree/mdast). */
interface Block {
  readonly type: string;
  /** A heading's level. */
  readonly depth?: number;
  /** A component's attributes. */
  readonly attributes?: { readonly type: string; readonly name: string; readonly value: unknown }[];
}

/** A remark plugin that sets the heading level of each component with a title: one below the preceding heading. */
export function setTitleLevels() {
  return ({ children }: { readonly children: readonly Block[] }): void => {
    let level = 1;
    for (const { type, depth, attributes } of children) {
      if (type === 'heading' && depth !== undefined) level = depth;
      if (type !== 'mdxJsxFlowElement' || !attributes?.some(({ name }) => name === 'title')) continue;
      attributes.push({ type: 'mdxJsxAttribute', name: 'level', value: String(level + 1) });
    }
  };
}
