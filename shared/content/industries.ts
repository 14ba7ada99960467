import type { IconName } from './icon-name.ts';
import { getIndustryLabel, type IndustryOption } from '../contact/industry-options.ts';

/** An industry the consultancy knows; its menu and footer links lead to the contact page. */
export interface Industry {
  readonly slug: string;
  readonly name: string;
  /** The option of the contact form that stands for it. */
  readonly option: IndustryOption;
  /** One line under the name in the menu. */
  readonly menuLine: string;
  readonly icon: IconName;
}

function makeIndustry(
  slug: string,
  option: IndustryOption,
  icon: IconName,
  menuLine: string,
): Industry {
  return { slug, option, icon, menuLine, name: getIndustryLabel(option) };
}

/** The nine industries, in the order the menu shows them: Private Equity first. */
export const industries: readonly Industry[] = [
  makeIndustry('private-equity', 'private-equity', 'chart-no-axes-combined', 'One way of working across the portfolio'),
  makeIndustry('healthcare', 'healthcare', 'heart-pulse', 'Less paperwork between staff and patients'),
  makeIndustry('manufacturing', 'manufacturing', 'factory', 'Planning, quality, and maintenance in order'),
  makeIndustry('financial-services', 'financial-services', 'landmark', 'Reviews and reports that stand up'),
  makeIndustry('professional-services', 'professional-services', 'briefcase-business', 'More hours for client work'),
  makeIndustry('education', 'education', 'graduation-cap', 'Administration that leaves room for teaching'),
  makeIndustry('retail', 'retail-ecommerce', 'shopping-bag', 'Stock, orders, and service that keep pace'),
  makeIndustry('transportation', 'transportation-logistics', 'truck', 'Dispatch and paperwork on time'),
  makeIndustry('real-estate', 'real-estate', 'building-2', 'Leases, tenants, and vendors in one view'),
];

/** The industry with this slug, if it is one of the nine. */
export function findIndustryBySlug(slug: string): Industry | undefined {
  return industries.find((industry) => industry.slug === slug);
}
