/** The eight solutions, in the order the home page shows them. */
export interface Solution {
  readonly slug: string;
  readonly name: string;
  /** Column of the solutions menu. */
  readonly group: 'solutions' | 'products';
}

export const solutions: readonly Solution[] = [
  { slug: 'ai-transformation', name: 'AI Transformation', group: 'solutions' },
];
