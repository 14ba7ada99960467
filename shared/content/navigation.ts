import { anchors, pathTo, routePatterns } from '../paths.ts';
import type { IconName } from './icon-name.ts';
import { industries, type Industry } from './industries.ts';
import { solutions, type Solution } from './solutions.ts';

interface NavigationLink {
  readonly label: string;
  readonly to: string;
}

/** A link of a menu's sheet, with a line that says what is behind it. */
interface MenuLink extends NavigationLink {
  readonly line: string;
  readonly icon: IconName;
}

export interface MenuColumn {
  readonly heading?: string;
  readonly links: readonly MenuLink[];
}

export interface MenuPromo {
  /** Which picture goes with it. */
  readonly picture: 'masterclass' | 'success';
  readonly title: string;
  readonly text: string;
  readonly action: NavigationLink;
}

export interface NavigationMenu {
  readonly label: string;
  /** Pages below this path belong to the menu. */
  readonly section: string;
  readonly columns: readonly MenuColumn[];
  readonly promo: MenuPromo;
}

/** One entry of the header: a link or a menu. */
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

const toIndustryLink = ({ name, option, menuLine, icon }: Industry): MenuLink => ({
  label: name,
  to: pathTo.contact({ industry: option }),
  line: menuLine,
  icon,
});

const listSolutionLinks = (group: Solution['group']) =>
  solutions.filter((solution) => solution.group === group).map(toSolutionLink);

const INDUSTRIES_IN_FIRST_COLUMN = 5;

const solutionsMenu: NavigationMenu = {
  label: 'Solutions',
  section: pathTo.solution(''),
  columns: [
    { heading: 'SOLUTIONS', links: listSolutionLinks('solutions') },
    { heading: 'PRODUCTS', links: listSolutionLinks('products') },
  ],
  promo: {
    picture: 'masterclass',
    title: 'AI Masterclass 2025',
    text: 'For owners and finance leaders: where AI takes over work, and where it should not.',
    action: { label: 'Register now', to: routePatterns.contact },
  },
};

const industriesMenu: NavigationMenu = {
  label: 'Industries',
  section: pathTo.industry(''),
  columns: [
    { links: industries.slice(0, INDUSTRIES_IN_FIRST_COLUMN).map(toIndustryLink) },
    { links: industries.slice(INDUSTRIES_IN_FIRST_COLUMN).map(toIndustryLink) },
  ],
  promo: {
    picture: 'success',
    title: 'Success Stories',
    text: 'What changes when routine work moves to AI, shown on illustrative cases.',
    action: { label: 'View cases', to: routePatterns.insights },
  },
};

const insightsLink: NavigationLink = { label: 'Insights', to: routePatterns.insights };
const contactLink: NavigationLink = { label: 'Contact', to: routePatterns.contact };

/** The header's entries, in their order. */
export const headerItems: readonly HeaderItem[] = [
  { label: 'Home', to: routePatterns.home },
  solutionsMenu,
  industriesMenu,
  insightsLink,
  { label: 'About', to: routePatterns.about },
  contactLink,
];

/** The header's button. */
export const assessmentLink: NavigationLink = {
  label: 'Get Free Assessment',
  to: routePatterns.contact,
};

/** The line both menus end with. */
export const helpLink = {
  question: 'Need more help?',
  label: 'Contact Professional Services',
  to: routePatterns.contact,
} as const satisfies NavigationLink & { readonly question: string };

const toAboutPart = (anchor: string) => `${routePatterns.about}#${anchor}`;

export const footerColumns: readonly FooterColumn[] = [
  { heading: 'Solutions', links: solutions.map(toSolutionLink) },
  { heading: 'Industries', links: industries.map(toIndustryLink) },
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
    ],
  },
];

/** What the footer claims about security. */
export const securityClaims: readonly { readonly label: string; readonly icon: IconName }[] = [
  { label: 'SOC2 certified', icon: 'shield-check' },
  { label: 'Enterprise-grade security', icon: 'key-round' },
  { label: 'Data protection', icon: 'database' },
];
