import type { IconName } from '../icon-name.ts';
import type { PageMeta } from '../page-meta.ts';

/** A point of a list: a few words and a sentence or two. */
export interface TitledText {
  readonly title: string;
  readonly text: string;
}

/** A point with the icon it is recognized by. */
export interface IconPoint extends TitledText {
  readonly icon: IconName;
}

/** A figure clients typically see; only figures of the specification, in its form. */
export interface Figure {
  readonly value: string;
  readonly label: string;
}

/** A section made of points. */
interface PointSection<Point extends TitledText> {
  readonly heading: string;
  /** Sentence under the heading. */
  readonly lead?: string;
  readonly points: readonly Point[];
}

/** What is wrong today, and what is done about it. */
export interface ProblemSolutionPair {
  readonly problem: IconPoint;
  readonly solution: IconPoint;
}

interface PairSection {
  readonly heading: string;
  readonly lead: string;
  /** Six of them. */
  readonly pairs: readonly ProblemSolutionPair[];
}

/** How a task moves: who does it today, what takes it over, what the team gets back. */
export interface MappingRow {
  readonly task: string;
  readonly takenOverBy: string;
  readonly givesBack: string;
}

interface MappingSection {
  readonly heading: string;
  readonly lead: string;
  readonly rows: readonly MappingRow[];
}

/** A quotation without a name: role and company size only. */
export interface Testimonial {
  /** Sample copy until a customer's own words replace it. */
  readonly quote: string;
  readonly role: string;
  readonly companySize: string;
}

/** The four steps of working together. */
export interface StepSection {
  readonly heading: string;
  readonly steps: readonly [TitledText, TitledText, TitledText, TitledText];
}

interface SolutionPageBase {
  readonly metaTitle: string;
  /** 110 to 160 characters. */
  readonly metaDescription: string;
  /** Day of the last change to the text, `YYYY-MM-DD`. */
  readonly updatedOn: string;
  /** At most nine words. */
  readonly headline: string;
  /** The hero's one sentence. */
  readonly description: string;
  /** The hero's button. */
  readonly ctaLabel: string;
  readonly figures: readonly Figure[];
  /** Four, or six together with the enterprise benefits. */
  readonly benefits: PointSection<IconPoint>;
  /** Four of them. */
  readonly enterpriseBenefits?: PointSection<IconPoint>;
  /** What the product consists of; on the four products. */
  readonly platform?: PointSection<IconPoint>;
  readonly mapping?: MappingSection;
  readonly testimonial: Testimonial;
  readonly howItWorks: StepSection;
  /** The closing call to action. */
  readonly closing: TitledText;
}

/** A page shows either problem/solution pairs or challenges, never both. */
export type SolutionPage = SolutionPageBase &
  (
    | { readonly pairs: PairSection; readonly challenges?: never }
    | { readonly challenges: PointSection<TitledText>; readonly pairs?: never }
  );

/** The button where a page has no words of its own. */
export const DEFAULT_CTA_LABEL = 'Get Your Free Assessment';

/** What search engines, browser tabs and shared links read of a solution's page. */
export function getSolutionMeta({ metaTitle, metaDescription, updatedOn }: SolutionPage): PageMeta {
  return { title: metaTitle, description: metaDescription, updatedOn };
}
