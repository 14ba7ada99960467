import type { ArticleCategory } from './article-categories.ts';

/**
 * An article of the insights. The listing is gated, so only the article's own screen and the
 * server may import this module: a chunk the listing loads must not name an article.
 */
export interface Article {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly category: ArticleCategory;
  /** What the page calls it when not by its category. */
  readonly label?: string;
  /** ISO date of publication. */
  readonly date: string;
  readonly readMinutes: number;
  readonly isFeatured: boolean;
}

/** The nine articles: featured ones first, then from the newest to the oldest. */
export const articles = [
  {
    slug: 'ai-trends-2024',
    title: 'AI Trends 2024: What Mid-Market Companies Should Prepare For',
    description:
      'Five shifts in business AI, from democratization to security-first systems, what we expect of 2025, and a 90-day plan to get ready for both.',
    category: 'AI Transformation',
    date: '2024-01-15',
    readMinutes: 8,
    isFeatured: true,
  },
  {
    slug: 'manufacturing-case-study',
    title: 'Manufacturing Case Study: AI From Assessment to Full Deployment',
    description:
      'An illustrative case: a manufacturer, three uses of AI, 90 days of implementation, a 35% cost reduction, and the lessons its team took from them.',
    category: 'Case Studies',
    label: 'Case Study',
    date: '2024-01-10',
    readMinutes: 12,
    isFeatured: true,
  },
  {
    slug: 'healthcare-ai-compliance',
    title: 'AI in Healthcare: Adoption Without Compliance Surprises',
    description:
      'Where healthcare providers put AI to work, what HIPAA and the FDA ask of them first, and four practices that keep adoption free of surprises.',
    category: 'Healthcare',
    date: '2024-01-05',
    readMinutes: 10,
    isFeatured: true,
  },
  {
    slug: 'ai-transformation-readiness',
    title: '5 Signs Your Business is Ready for AI Transformation',
    description:
      'Five indicators to check before you spend on AI: how many mean that you are ready, and what to build first when fewer than three of them fit.',
    category: 'Strategy',
    date: '2023-12-28',
    readMinutes: 6,
    isFeatured: false,
  },
  {
    slug: 'ai-roi-measurement',
    title: 'How to Measure the Return on AI',
    description:
      'Four kinds of value that AI brings, the measures behind each of them, a worked example, and a reporting rhythm your CFO can rely on.',
    category: 'Business Intelligence',
    date: '2023-12-20',
    readMinutes: 9,
    isFeatured: false,
  },
  {
    slug: 'legacy-system-modernization-guide',
    title: 'A Practical Guide to Modernizing Legacy Systems',
    description:
      'How to renew old systems piece by piece while the business keeps running, in which order to do it, and how to make room for AI on the way.',
    category: 'Technology',
    date: '2023-12-15',
    readMinutes: 9,
    isFeatured: false,
  },
  {
    slug: 'intelligent-expense-management-economics',
    title: 'The Economics of Intelligent Expense Management',
    description:
      'Why small expenses cost more than they seem, what it takes to put them under control, and how many weeks each step of the work takes.',
    category: 'Finance',
    date: '2023-12-10',
    readMinutes: 7,
    isFeatured: false,
  },
  {
    slug: 'data-driven-culture-transformation',
    title: 'Building a Culture That Decides With Data',
    description:
      'Tools do not change how a company decides. Habits do: which ones matter, where to begin, and how to keep them once the first months are over.',
    category: 'Strategy',
    date: '2023-12-05',
    readMinutes: 8,
    isFeatured: false,
  },
  {
    slug: 'ai-security-considerations',
    title: 'AI Security: What to Settle Before You Start',
    description:
      'Which data an AI system may see, who may ask it what, and how to keep a record of both: the questions to settle before the first project.',
    category: 'Security',
    date: '2023-11-30',
    readMinutes: 8,
    isFeatured: false,
  },
] as const satisfies readonly Article[];

/** Slug of one of the nine. */
export type ArticleSlug = (typeof articles)[number]['slug'];

/** The article with this slug, if there is one. */
export function findArticleBySlug(
  slug: string | undefined,
): (Article & { readonly slug: ArticleSlug }) | undefined {
  return articles.find((article) => article.slug === slug);
}
