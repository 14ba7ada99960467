import * as v from 'valibot';
import { articleCategories } from './article-categories.ts';
import { brandColorsSchema, type Brand } from './brand-schema.ts';
import type { PageMeta } from './page-meta.ts';
import { anyOf, day, description, flag, icon, listOf, number, oneOf, severalOf, slug, text, title } from './schema-fields.ts';
import { iconPoint, testimonial, titledText, type Solution, type SolutionPage } from './solution-schema.ts';

/* Schemas of the owner's files in `content/`. The browser may import only the types. */

/** Front matter of a legal page, `legal/<name>.mdx`. */
export const legalPageSchema = v.strictObject({ title, description, updatedOn: day });

export type LegalFrontMatter = v.InferOutput<typeof legalPageSchema>;

/** Front matter of an article, `articles/<slug>.mdx`. */
export const articleSchema = v.strictObject({
  title,
  /** Used on the card, below the title and by search engines. */
  excerpt: description,
  category: oneOf(articleCategories),
  /** Shown instead of the category. */
  label: v.optional(text),
  /** A team, never a person. */
  author: text,
  /** Publication date. */
  date: day,
  /** Date of the last change, if any. */
  updatedOn: v.optional(day),
  /** Reading time at 220 words a minute. */
  readMinutes: v.pipe(
    number,
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
  ),
  /** File name in `pictures/articles/`, without `.jpg`. */
  picture: text,
  pictureAlt: text,
  isFeatured: flag,
  /** Shows the estimate form below the text. */
  hasEstimate: v.optional(flag),
  /** Keeps the article out of the build. */
  draft: v.optional(flag),
});

export type ArticleFrontMatter = v.InferOutput<typeof articleSchema>;

export interface Article extends ArticleFrontMatter {
  /** Last path segment and file name. */
  readonly slug: string;
}

export const industriesSchema = severalOf(
  v.pipe(
    v.strictObject({
      /** Last path segment, `/industries/<slug>`. */
      slug,
      /** Value in requests and forms. Defaults to the slug. */
      value: v.optional(slug),
      name: text,
      menuLine: text,
      /** Puts the industry at the start of the menu. */
      firstInMenu: v.optional(flag, false),
      icon,
      /** Time-consuming tasks in the industry. */
      challenges: listOf(text, 3),
    }),
    v.transform((industry) => ({ ...industry, value: industry.value ?? industry.slug })),
  ),
);

type IndustryFile = v.InferOutput<typeof industriesSchema>[number];

/** An industry in the menus and the footer, where it links to the contact page. */
export type Industry = Omit<IndustryFile, 'challenges'>;

const meta = { metaTitle: title, metaDescription: description, updatedOn: day };

const points = listOf(iconPoint, 3);

/** `pages/home.yaml` */
export const homeSchema = v.strictObject({
  ...meta,
  headline: text,
  description: text,
  ctaLabel: text,
  exploreLabel: text,
  results: v.strictObject({ heading: text, points }),
  solutions: v.strictObject({ heading: text, lead: text }),
  testimonials: anyOf(testimonial),
  howWeWork: v.strictObject({ heading: text, lead: text, steps: listOf(titledText, 4) }),
  closing: titledText,
});

/** `pages/about.yaml` */
export const aboutSchema = v.strictObject({
  ...meta,
  label: text,
  headline: text,
  description: text,
  ctaLabel: text,
  story: v.strictObject({ heading: text, paragraphs: severalOf(text) }),
  principles: v.strictObject({ heading: text, lead: text, points }),
  closing: titledText,
});

/** A page recommended on another page. */
const recommendation = v.strictObject({ to: text, title: text, text });

/** `pages/contact.yaml` */
export const contactSchema = v.strictObject({
  ...meta,
  description: text,
  pictureAlt: text,
  /** What a client gets from the assessment. */
  deliverables: v.strictObject({ title: text, items: severalOf(text) }),
  /** Steps of the assessment. */
  process: v.strictObject({ title: text, steps: severalOf(titledText) }),
  reasons: v.strictObject({ title: text, items: severalOf(v.strictObject({ text })) }),
  /** The first step after a request, before the process. */
  firstStep: titledText,
  /** Link to the estimate form, below the three lists. */
  estimate: v.optional(v.strictObject({ question: text, label: text, to: text })),
  /** Pages to read while waiting for an answer. */
  nextPages: anyOf(recommendation),
});

/** `pages/insights.yaml` */
export const insightsSchema = v.strictObject({
  ...meta,
  headline: text,
  description: text,
  closing: titledText,
  articleClosing: titledText,
  ctaLabel: text,
});

const promo = v.strictObject({
  picture: text,
  title: text,
  text,
  label: text,
  to: text,
});

/** The promotion in a menu. */
export type Promo = v.InferOutput<typeof promo>;

const isLocale = (name: string) => {
  try {
    return Intl.getCanonicalLocales(name).length === 1;
  } catch {
    return false;
  }
};

const locale = v.pipe(text, v.check(isLocale, 'must be a language such as en or en-US'));

/** `site.yaml` */
export const siteSchema = v.strictObject({
  lang: locale,
  /** Locale for dates. */
  locale,
  /** File name in `pictures/`. */
  logo: v.pipe(text, v.endsWith('.svg', 'must be an SVG')),
  colors: brandColorsSchema,
  tagline: text,
  copyrightYear: number,
  securityClaims: anyOf(v.strictObject({ label: text, icon })),
  socialLinks: anyOf(v.strictObject({ label: text, url: v.pipe(text, v.url('must be an address like https://…')) })),
  promos: v.nullish(v.strictObject({ solutions: v.exactOptional(promo), industries: v.exactOptional(promo) }), {}),
});

/** A text of a mail. @param placeholders names it may contain in braces */
function textWith(...placeholders: readonly string[]) {
  const other = new RegExp(`\\{(?!(?:${placeholders.join('|')})\\})[^}]*\\}?`);

  return v.pipe(
    text,
    v.check(
      (words) => !other.test(words),
      ({ input }) => `can't have ${other.exec(input)?.[0]}: only {${placeholders.join('}, {')}} are filled in`,
    ),
  );
}

const mailText = textWith('name', 'url', 'time');
const draftText = textWith('visitor', 'company', 'name', 'booking');

/** Maximum length of the paragraphs in a `mailto` URL: about 1,200 English letters. */
const MAX_DRAFT = 1_500;

/** `mails.yaml` */
export const mailsSchema = v.strictObject({
  acknowledgment: v.strictObject({
    subject: mailText,
    preview: mailText,
    heading: mailText,
    lead: mailText,
    answerBy: mailText,
    questions: mailText,
    nextSteps: mailText,
    deliverables: mailText,
    booking: mailText,
    note: mailText,
  }),
  answer: v.strictObject({
    subject: draftText,
    paragraphs: v.pipe(
      severalOf(draftText),
      v.check(
        (paragraphs) => encodeURIComponent(paragraphs.join('\r\n\r\n')).length <= MAX_DRAFT,
        'must be shorter: mail programs open about 200 words',
      ),
    ),
  }),
});

/** The owner's content as the programs read it. Each property is a module `#content/<name>`, hyphenated. */
export interface Content {
  readonly brand: Brand;
  readonly siteWords: Omit<v.InferOutput<typeof siteSchema>, 'colors' | 'logo'>;
  readonly homePage: v.InferOutput<typeof homeSchema>;
  readonly aboutPage: v.InferOutput<typeof aboutSchema>;
  readonly contactPage: v.InferOutput<typeof contactSchema>;
  readonly insightsPage: v.InferOutput<typeof insightsSchema>;
  /** Texts with placeholders. */
  readonly mails: v.InferOutput<typeof mailsSchema>;
  /** Texts with the placeholders of `fillSitePlaceholders`. */
  readonly pageMetas: Readonly<Record<'home' | 'about' | 'contact' | 'insights', PageMeta>>;
  readonly industries: readonly Industry[];
  /** Three sentences by industry value. Separate from `industries`, which every page loads. */
  readonly industryChallenges: Readonly<Record<string, readonly string[]>>;
  /** In display order. */
  readonly solutions: readonly Solution[];
  /** By slug, in display order. */
  readonly solutionPages: Readonly<Record<string, SolutionPage>>;
  /** Newest first, without drafts or future articles. */
  readonly articles: readonly Article[];
  /** The earliest future publication date. */
  readonly nextArticleOn?: string | undefined;
  /** Line numbers of sample copy, by file. */
  readonly samples: Readonly<Record<string, readonly number[]>>;
  readonly legalPages: readonly (LegalFrontMatter & { readonly slug: string })[];
  /** Separate from `legalPages`, which no page loads. */
  readonly hasImprint: boolean;
  /** Target paths and URLs by old path. */
  readonly redirects: Readonly<Record<string, string>>;
}
