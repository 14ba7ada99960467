import { getIndustryLabel, type IndustryOption } from '../contact/industry-options.ts';

/** An industry the consultancy knows; its menu and footer links lead to the contact page. */
export interface Industry {
  readonly slug: string;
  readonly name: string;
  /** The option of the contact form that stands for it. */
  readonly option: IndustryOption;
  /** One line under the name in the menu. */
  readonly menuLine: string;
}

function makeIndustry(slug: string, option: IndustryOption, menuLine: string): Industry {
  return { slug, option, menuLine, name: getIndustryLabel(option) };
}

/** The nine industries, in the order the menu shows them: Private Equity first. */
export const industries: readonly Industry[] = [
  makeIndustry('private-equity', 'private-equity', 'One way of working across the portfolio'),
  makeIndustry('healthcare', 'healthcare', 'Less paperwork between staff and patients'),
  makeIndustry('manufacturing', 'manufacturing', 'Planning, quality, and maintenance in order'),
  makeIndustry('financial-services', 'financial-services', 'Reviews and reports that stand up'),
  makeIndustry('professional-services', 'professional-services', 'More hours for client work'),
  makeIndustry('education', 'education', 'Administration that leaves room for teaching'),
  makeIndustry('retail', 'retail-ecommerce', 'Stock, orders, and service that keep pace'),
  makeIndustry('transportation', 'transportation-logistics', 'Dispatch and paperwork on time'),
  makeIndustry('real-estate', 'real-estate', 'Leases, tenants, and vendors in one view'),
];

/** The industry with this slug, if it is one of the nine. */
export function findIndustryBySlug(slug: string): Industry | undefined {
  return industries.find((industry) => industry.slug === slug);
}
