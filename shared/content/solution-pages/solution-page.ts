/** A point of a list: a few words and a sentence. */
export interface TitledText {
  readonly title: string;
  readonly text: string;
}

/** A figure clients typically see; only figures of the specification, in its form. */
export interface Figure {
  readonly value: string;
  readonly label: string;
}

export interface PointList {
  readonly heading: string;
  readonly points: readonly TitledText[];
}

/** The text of a solution's page. */
export interface SolutionPage {
  readonly metaTitle: string;
  readonly metaDescription: string;
  /** At most nine words. */
  readonly headline: string;
  /** The hero's one sentence. */
  readonly description: string;
  readonly ctaLabel: string;
  readonly challenges: PointList;
  readonly benefits: PointList;
  readonly figures: readonly Figure[];
  /** The sentence of the closing call to action. */
  readonly closing: string;
}

/** The button where a page has no words of its own. */
export const DEFAULT_CTA_LABEL = 'Get Your Free Assessment';
