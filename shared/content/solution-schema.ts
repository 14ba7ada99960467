import * as v from 'valibot';
import { anyOf, day, description, flag, icon, listOf, number, oneOf, severalOf, text, title } from './schema-fields.ts';

/* Schema of a solution's file. The browser may import only the types. */

export const titledText = v.strictObject({ title: text, text });

export type TitledText = v.InferOutput<typeof titledText>;

export const iconPoint = v.strictObject({ title: text, icon, text });

export type IconPoint = v.InferOutput<typeof iconPoint>;

const figure = v.strictObject({ value: text, label: text });

/** A typical client result. Only figures from the specification. */
export type Figure = v.InferOutput<typeof figure>;

export const testimonial = v.strictObject({
  quote: text,
  role: text,
  companySize: text,
});

/** A client quote with role and company size only, without a name. */
export type Testimonial = v.InferOutput<typeof testimonial>;

const look = v.strictObject({
  tone: v.optional(oneOf(['cream', 'white', 'tint', 'deep'])),
  /**
   * Layout on wide screens. `split`: sticky heading before the content; `mirrored`: after it. With a vignette,
   * `bleed`: full screen width; `pictureFirst`, `pictureLast`: text beside the vignette.
   */
  layout: v.optional(oneOf(['stacked', 'split', 'mirrored', 'bleed', 'pictureFirst', 'pictureLast'])),
});

export type SectionLook = v.InferOutput<typeof look>;

/** A section's heading, lead and look, plus its own parts. */
const section = <Parts extends v.ObjectEntries>(parts: Parts) =>
  v.strictObject({ heading: text, lead: v.optional(text), ...look.entries, ...parts });

const pair = v.strictObject({ problem: iconPoint, solution: iconPoint });

/** A problem and its solution. */
export type ProblemSolutionPair = v.InferOutput<typeof pair>;

const mappingRow = v.strictObject({ task: text, takenOverBy: text, givesBack: text });

/** A manual task, what replaces it, and what the team gains. */
export type MappingRow = v.InferOutput<typeof mappingRow>;

const steps = section({ steps: listOf(titledText, 4) });

/** The four steps of working with a client. */
export type StepSection = v.InferOutput<typeof steps>;

/** Illustrations in `client/features/vignettes/`. */
const vignettes = [
  'ai-transformation',
  'contract-compliance',
  'cross-selling-ai',
  'expense-reduction-ai',
  'fractional-caio',
  'process-automation',
  'vendor-management',
  'white-label-platform',
] as const;

/** Schema of `solutions/<slug>.yaml`. @param accent names of the color schemes in `site.yaml` */
export const makeSolutionSchema = (accent: v.GenericSchema<unknown, string>) =>
  v.pipe(
    v.strictObject({
      name: text,
      /** Sort order in menus and on the home page. */
      order: number,
      /** Column in the solutions menu. */
      group: oneOf(['solutions', 'products']),
      menuLine: text,
      /** Text on the home page's card. */
      cardText: text,
      icon,
      /** Color scheme for the page and the card. */
      accent,
      /** Color scheme for the four steps. Defaults to the accent. */
      stepsAccent: v.optional(accent),
      /** Picture behind the hero, with its subject on the right. */
      picture: text,
      cardPicture: text,
      /** Opacity of the hero's overlay. */
      overlayOpacity: v.optional(v.picklist([0.5, 0.65, 0.7], 'must be 0.5, 0.65 or 0.7'), 0.5),
      vignette: v.optional(oneOf(vignettes)),
      /** The section that contains the vignette. */
      vignetteSection: v.optional(oneOf(['benefits', 'platform']), 'benefits'),
      metaTitle: title,
      metaDescription: description,
      updatedOn: day,
      /** At most nine words. */
      headline: text,
      /** One sentence in the hero. */
      description: text,
      /** Label on the hero's button. */
      ctaLabel: v.optional(text, 'Get Your Free Assessment'),
      figures: anyOf(figure),
      challenges: v.optional(section({ points: listOf(titledText, 4, 6) })),
      pairs: v.optional(section({ pairs: listOf(pair, 6) })),
      benefits: section({ points: listOf(iconPoint, 4, 6) }),
      /** Components of a product. */
      platform: v.optional(section({ points: severalOf(iconPoint) })),
      mapping: v.optional(section({ rows: severalOf(mappingRow) })),
      enterpriseBenefits: v.optional(section({ points: listOf(iconPoint, 4) })),
      /** Shows the estimate form before the testimonial. */
      hasEstimate: v.optional(flag, false),
      testimonial: v.optional(testimonial),
      howItWorks: steps,
      closing: titledText,
    }),
    v.check(
      ({ challenges, pairs }) => (challenges === undefined) !== (pairs === undefined),
      'needs either challenges or pairs',
    ),
  );

type SolutionFile = v.InferOutput<ReturnType<typeof makeSolutionSchema>>;

/** The fields of a solution that menus show. */
export interface Solution extends Pick<SolutionFile, 'name' | 'group' | 'menuLine' | 'icon'> {
  readonly slug: string;
}

/** The fields of a solution that its page and card show. */
export type SolutionPage = Omit<SolutionFile, 'order' | 'group' | 'menuLine' | 'icon'>;
