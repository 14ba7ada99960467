/** The categories of the insights, in the order they are offered. */
export const articleCategories = [
  'AI Transformation',
  'Case Studies',
  'Healthcare',
  'Manufacturing',
  'Finance',
  'Strategy',
  'Technology',
  'Security',
  'Business Intelligence',
] as const;

export type ArticleCategory = (typeof articleCategories)[number];
