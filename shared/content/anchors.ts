/** Ids of page parts that links lead to. */
export const anchors = {
  /** The page's main content; the skip link's target. */
  main: 'main',
  /** The solution cards on the home page. */
  solutions: 'solutions',
  /** The founder story on the about page. */
  story: 'story',
  /** The three principles on the about page. */
  corePrinciples: 'core-principles',
} as const;
