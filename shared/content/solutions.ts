import type { AccentName } from '../accents/accents.ts';
import type { IconName } from './icon-name.ts';

/** What menus, cards and the sitemap need of a solution; its page's text is in `solution-pages/`. */
export interface Solution {
  readonly slug: string;
  readonly name: string;
  /** Column of the solutions menu. */
  readonly group: 'solutions' | 'products';
  /** One line under the name in the menu. */
  readonly menuLine: string;
  /** Sentence on the home page's card. */
  readonly cardText: string;
  readonly icon: IconName;
  /** Color scheme of the solution's page and card. */
  readonly accent: AccentName;
  /** Color scheme of the page's four steps, where it isn't the accent. */
  readonly stepsAccent?: AccentName;
  /** How much of the hero's picture the overlay covers; 0.5 unless said. */
  readonly overlayOpacity?: 0.65 | 0.7;
}

/** The eight solutions, in the order the menu and the home page show them. */
export const solutions = [
  {
    slug: 'ai-transformation',
    name: 'AI Transformation',
    group: 'solutions',
    menuLine: 'A plan for AI across the company, and the hands to carry it out',
    cardText: 'One plan for AI across the company, carried out step by step with your own people.',
    icon: 'orbit',
    accent: 'green',
  },
  {
    slug: 'process-automation',
    name: 'Process Automation',
    group: 'solutions',
    menuLine: 'Repeated office and plant work, done without retyping',
    cardText: 'The work your people repeat every week runs by itself, and they check the exceptions.',
    icon: 'workflow',
    accent: 'purple',
  },
  {
    slug: 'white-label-platform',
    name: 'White-Label Development',
    group: 'solutions',
    menuLine: 'Your own AI product, built by us, under your name',
    cardText: 'A software product under your own name, without building a software company first.',
    icon: 'layers',
    accent: 'pink',
  },
  {
    slug: 'fractional-caio',
    name: 'Fractional CAIO Services',
    group: 'solutions',
    menuLine: 'A Chief AI Officer for the days you need one',
    cardText: 'A Chief AI Officer at your table for the days you need one, and no full-time hire.',
    icon: 'compass',
    accent: 'orange',
    overlayOpacity: 0.7,
  },
  {
    slug: 'expense-reduction-ai',
    name: 'Expense Reduction AI Platform',
    group: 'products',
    menuLine: 'For expense-reduction consulting firms',
    cardText: 'For expense-reduction consultants: find more savings per client in fewer hours.',
    icon: 'receipt-text',
    accent: 'gold',
  },
  {
    slug: 'contract-compliance',
    name: 'Contract Compliance Automation',
    group: 'products',
    menuLine: 'Every contract read, every deadline and price checked',
    cardText: 'Every contract read, every deadline watched, every invoice held against its terms.',
    icon: 'file-check',
    accent: 'blue',
  },
  {
    slug: 'vendor-management',
    name: 'Vendor Management System',
    group: 'products',
    menuLine: 'All vendors, terms, and spend in one place',
    cardText: 'All vendors, terms, and spend in one place, so that you negotiate with facts.',
    icon: 'handshake',
    accent: 'cyan',
  },
  {
    slug: 'cross-selling-ai',
    name: 'Cross-Selling AI Engine',
    group: 'products',
    menuLine: 'The next sale in the customers you already have',
    cardText: 'Shows your sales team which existing customer is ready for what, and why.',
    icon: 'trending-up',
    accent: 'cyan',
    stepsAccent: 'red',
    overlayOpacity: 0.65,
  },
] as const satisfies readonly Solution[];

/** Slug of one of the eight. */
export type SolutionSlug = (typeof solutions)[number]['slug'];

/** The solution with this slug, if it is one of the eight. */
export function findSolutionBySlug(
  slug: string | undefined,
): (Solution & { readonly slug: SolutionSlug }) | undefined {
  return solutions.find((solution) => solution.slug === slug);
}

/** The solution a type-checked slug names. */
export function findSolution(slug: SolutionSlug): Solution {
  const solution = findSolutionBySlug(slug);
  if (!solution) throw new Error(`There is no solution ${slug}.`);

  return solution;
}
