import * as v from 'valibot';
import { anyOf, day, description, flag, icon, listOf, number, oneOf, severalOf, text, title } from './schema-fields.ts';

/* What the file of a solution has to be, and the parts it shares with other pages. The browser imports the types only. */

export const titledText = v.strictObject({ title: text, text });

/** A point of a list: a few words and a sentence or two. */
export type TitledText = v.InferOutput<typeof titledText>;

export const iconPoint = v.strictObject({ title: text, icon, text });

/** A point with the icon it is recognized by. */
export type IconPoint = v.InferOutput<typeof iconPoint>;

const figure = v.strictObject({ value: text, label: text });

/** A figure clients typically see; only figures of the specification, in its form. */
export type Figure = v.InferOutput<typeof figure>;

export const testimonial = v.strictObject({
  quote: text,
  role: text,
  companySize: text,
});

/** A quotation without a name: role and company size only. */
export type Testimonial = v.InferOutput<typeof testimonial>;

const look = v.strictObject({
  tone: v.optional(oneOf(['cream', 'white', 'tint', 'deep'])),
  /**
   * On a wide screen. `split`: the heading stands before the content and stays in view; `mirrored`: after it. With a
   * vignette, `bleed`: it is as wide as the screen; `pictureFirst`, `pictureLast`: the words stand beside it.
   */
  layout: v.optional(oneOf(['stacked', 'split', 'mirrored', 'bleed', 'pictureFirst', 'pictureLast'])),
});

/** What a section looks like, whatever is in it. */
export type SectionLook = v.InferOutput<typeof look>;

/** A section: its heading, a sentence under it, its look, and what it consists of. */
const section = <Parts extends v.ObjectEntries>(parts: Parts) =>
  v.strictObject({ heading: text, lead: v.optional(text), ...look.entries, ...parts });

const pair = v.strictObject({ problem: iconPoint, solution: iconPoint });

/** What is wrong today, and what is done about it. */
export type ProblemSolutionPair = v.InferOutput<typeof pair>;

const mappingRow = v.strictObject({ task: text, takenOverBy: text, givesBack: text });

/** How a task moves: who does it today, what takes it over, what the team gets back. */
export type MappingRow = v.InferOutput<typeof mappingRow>;

const steps = section({ steps: listOf(titledText, 4) });

/** The four steps of working together. */
export type StepSection = v.InferOutput<typeof steps>;

/** The drawn scenes, each a file in `client/features/vignettes/`. */
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

/** `solutions/<slug>.yaml`. @param accent the names that `site.yaml` gives to color schemes */
export const makeSolutionSchema = (accent: v.GenericSchema<unknown, string>) =>
  v.pipe(
    v.strictObject({
      name: text,
      /** Place in the menus and on the home page, from the smallest. */
      order: number,
      /** Column of the solutions menu. */
      group: oneOf(['solutions', 'products']),
      menuLine: text,
      /** Sentence on the home page's card. */
      cardText: text,
      icon,
      /** Color scheme of the solution's page and card. */
      accent,
      /** Color scheme of the page's four steps, where it isn't the accent. */
      stepsAccent: v.optional(accent),
      /** Behind the hero, with its subject at the right. */
      picture: text,
      cardPicture: text,
      /** How much of the hero's picture the overlay covers. */
      overlayOpacity: v.optional(v.picklist([0.5, 0.65, 0.7], 'must be 0.5, 0.65 or 0.7'), 0.5),
      vignette: v.optional(oneOf(vignettes)),
      /** The section whose words the vignette shows at work. */
      vignetteSection: v.optional(oneOf(['benefits', 'platform']), 'benefits'),
      metaTitle: title,
      metaDescription: description,
      updatedOn: day,
      /** At most nine words. */
      headline: text,
      /** The hero's one sentence. */
      description: text,
      /** The hero's button. */
      ctaLabel: v.optional(text, 'Get Your Free Assessment'),
      figures: anyOf(figure),
      challenges: v.optional(section({ points: listOf(titledText, 4, 6) })),
      pairs: v.optional(section({ pairs: listOf(pair, 6) })),
      benefits: section({ points: listOf(iconPoint, 4, 6) }),
      /** What a product consists of. */
      platform: v.optional(section({ points: severalOf(iconPoint) })),
      mapping: v.optional(section({ rows: severalOf(mappingRow) })),
      enterpriseBenefits: v.optional(section({ points: listOf(iconPoint, 4) })),
      /** Whether the visitor's own estimate stands before the testimonial. */
      hasEstimate: v.optional(flag, false),
      testimonial: v.optional(testimonial),
      howItWorks: steps,
      /** The closing call to action. */
      closing: titledText,
    }),
    v.check(
      ({ challenges, pairs }) => (challenges === undefined) !== (pairs === undefined),
      'needs either challenges or pairs',
    ),
  );

type SolutionFile = v.InferOutput<ReturnType<typeof makeSolutionSchema>>;

/** What menus need of a solution. */
export interface Solution extends Pick<SolutionFile, 'name' | 'group' | 'menuLine' | 'icon'> {
  readonly slug: string;
}

/** What a solution's page and card show. */
export type SolutionPage = Omit<SolutionFile, 'order' | 'group' | 'menuLine' | 'icon'>;
