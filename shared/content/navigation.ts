import { hasImprint } from '#content/has-imprint';
import { industries } from '#content/industries';
import { solutions } from '#content/solutions';
import { anchors, pathTo, routePatterns } from '../paths.ts';
import type { Industry } from './content-schema.ts';
import type { Solution } from './solution-schema.ts';
import type { IconName } from './icon-name.ts';

interface NavigationLink {
  readonly label: string;
  readonly to: string;
}

/** A menu link with a one-line description. */
interface MenuLink extends NavigationLink {
  readonly line: string;
  readonly icon: IconName;
}

export interface MenuColumn {
  readonly heading?: string;
  readonly links: readonly MenuLink[];
}

export interface NavigationMenu {
  readonly label: string;
  /** Pages below this path belong to the menu. */
  readonly section: string;
  readonly columns: readonly MenuColumn[];
  /** The promotion shown in the menu. */
  readonly promo: 'solutions' | 'industries';
}

/** A link or menu in the header. */
export type HeaderItem = NavigationLink | NavigationMenu;

export interface FooterColumn {
  readonly heading: string;
  readonly links: readonly NavigationLink[];
}

const toSolutionLink = ({ name, slug, menuLine, icon }: Solution): MenuLink => ({
  label: name,
  to: pathTo.solution(slug),
  line: menuLine,
  icon,
});

const toIndustryLink = ({ name, value, menuLine, icon }: Industry): MenuLink => ({
  label: name,
  to: pathTo.contact({ industry: value }),
  line: menuLine,
  icon,
});

const listSolutionLinks = (group: Solution['group']) =>
  solutions.filter((solution) => solution.group === group).map(toSolutionLink);

/** The industries, sorted with `firstInMenu` first. */
const menuIndustries = [...industries].sort((one, other) => Number(other.firstInMenu) - Number(one.firstInMenu));
const industriesInFirstColumn = Math.ceil(menuIndustries.length / 2);

const solutionsMenu: NavigationMenu = {
  label: 'Solutions',
  section: pathTo.solution(''),
  columns: [
    { heading: 'SOLUTIONS', links: listSolutionLinks('solutions') },
    { heading: 'PRODUCTS', links: listSolutionLinks('products') },
  ].filter(({ links }) => links.length > 0),
  promo: 'solutions',
};

const industriesMenu: NavigationMenu = {
  label: 'Industries',
  section: pathTo.industry(''),
  columns: [
    { links: menuIndustries.slice(0, industriesInFirstColumn).map(toIndustryLink) },
    { links: menuIndustries.slice(industriesInFirstColumn).map(toIndustryLink) },
  ],
  promo: 'industries',
};

const insightsLink: NavigationLink = { label: 'Insights', to: routePatterns.insights };
const contactLink: NavigationLink = { label: 'Contact', to: routePatterns.contact };

export const headerItems: readonly HeaderItem[] = [
  { label: 'Home', to: routePatterns.home },
  solutionsMenu,
  industriesMenu,
  insightsLink,
  { label: 'About', to: routePatterns.about },
  contactLink,
];

export const assessmentLink: NavigationLink = {
  label: 'Get Free Assessment',
  to: routePatterns.contact,
};

/** The contact link at the end of both menus. */
export const helpLink = {
  question: 'Need more help?',
  label: 'Contact Professional Services',
  to: routePatterns.contact,
} as const satisfies NavigationLink & { readonly question: string };

const toAboutPart = (anchor: string) => `${routePatterns.about}#${anchor}`;

export const footerColumns: readonly FooterColumn[] = [
  { heading: 'Solutions', links: solutions.map(toSolutionLink) },
  { heading: 'Industries', links: menuIndustries.map(toIndustryLink) },
  {
    heading: 'Company',
    links: [
      { label: 'About us', to: routePatterns.about },
      { label: 'Our story', to: toAboutPart(anchors.story) },
      { label: 'Our principles', to: toAboutPart(anchors.corePrinciples) },
      insightsLink,
      contactLink,
    ],
  },
  {
    heading: 'Legal',
    links: [
      { label: 'Privacy Policy', to: routePatterns.privacyPolicy },
      { label: 'Terms of Service', to: routePatterns.termsOfService },
      { label: 'Accessibility', to: routePatterns.accessibility },
      ...(hasImprint ? [{ label: 'Imprint', to: routePatterns.imprint }] : []),
    ],
  },
];
