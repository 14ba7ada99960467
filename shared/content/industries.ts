import type { IndustryOption } from '../contact/industry-options.ts';

/** An industry the consultancy knows; its menu and footer links lead to the contact page. */
export interface Industry {
  readonly slug: string;
  readonly name: string;
  /** The option of the contact form that stands for it. */
  readonly option: IndustryOption;
}

export const industries: readonly Industry[] = [
  { slug: 'healthcare', name: 'Healthcare', option: 'healthcare' },
];

/** The industry with this slug, if it is one of the nine. */
export function findIndustryBySlug(slug: string): Industry | undefined {
  return industries.find((industry) => industry.slug === slug);
}
