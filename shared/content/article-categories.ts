/** Categories of the insights, in display order. */
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
