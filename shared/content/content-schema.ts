import * as v from 'valibot';
import { articleCategories } from './article-categories.ts';
import { brandColorsSchema, type Brand } from './brand-schema.ts';
import type { PageMeta } from './page-meta.ts';
import { anyOf, day, description, flag, icon, listOf, number, oneOf, severalOf, slug, text, title } from './schema-fields.ts';
import { iconPoint, testimonial, titledText, type Solution, type SolutionPage } from './solution-schema.ts';

/*
 * What the owner's files in `content/` have to be. The browser may import the types only: the check belongs to the
 * build.
 */

/** Above the text of a legal page, `legal/<name>.mdx`. */
export const legalPageSchema = v.strictObject({ title, description, updatedOn: day });

export type LegalFrontMatter = v.InferOutput<typeof legalPageSchema>;

/** Above the text of an article, `articles/<slug>.mdx`. */
export const articleSchema = v.strictObject({
  title,
  /** On its card, below its title, and what search engines show. */
  excerpt: description,
  category: oneOf(articleCategories),
  /** What the article is called where its category isn't the word. */
  label: v.optional(text),
  /** A team, never a person. */
  author: text,
  /** Day of publication. */
  date: day,
  /** Day of the last change to the text, where there was one since. */
  updatedOn: v.optional(day),
  /** At 220 words a minute. */
  readMinutes: v.pipe(
    number,
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
  ),
  /** Its file in `pictures/articles/`, without `.jpg`. */
  picture: text,
  pictureAlt: text,
  isFeatured: flag,
  /** Whether the visitor's own estimate follows the text. */
  hasEstimate: v.optional(flag),
  /** Whether the site doesn't show it yet. */
  draft: v.optional(flag),
});

export type ArticleFrontMatter = v.InferOutput<typeof articleSchema>;

/** An article without its text. */
export interface Article extends ArticleFrontMatter {
  /** Last part of its address; the name of its file. */
  readonly slug: string;
}

/** `industries.yaml`. */
export const industriesSchema = severalOf(
  v.pipe(
    v.strictObject({
      /** Last part of its address, `/industries/<slug>`. */
      slug,
      /** What a request stores and its form sends; the slug unless said. */
      value: v.optional(slug),
      name: text,
      /** One line under the name in the menu. */
      menuLine: text,
      /** Whether the menu begins with it. */
      firstInMenu: v.optional(flag, false),
      icon,
      /** What takes up time in the industry. */
      challenges: listOf(text, 3),
    }),
    v.transform((industry) => ({ ...industry, value: industry.value ?? industry.slug })),
  ),
);

type IndustryFile = v.InferOutput<typeof industriesSchema>[number];

/** An industry the consultancy knows; its menu and footer links lead to the contact page. */
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

/** A page that another one recommends. */
const recommendation = v.strictObject({ to: text, title: text, text });

/** `pages/contact.yaml` */
export const contactSchema = v.strictObject({
  ...meta,
  description: text,
  pictureAlt: text,
  /** What everybody who asks for an assessment gets. */
  deliverables: v.strictObject({ title: text, items: severalOf(text) }),
  /** How an assessment goes. */
  process: v.strictObject({ title: text, steps: severalOf(titledText) }),
  reasons: v.strictObject({ title: text, items: severalOf(v.strictObject({ text })) }),
  /** What happens once a request has arrived, before the process. */
  firstStep: titledText,
  /** Below the three lists. */
  estimate: v.optional(v.strictObject({ question: text, label: text, to: text })),
  /** What may be read while waiting for an answer. */
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

/** The card at the side of a menu. */
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
  /** How dates are written. */
  locale,
  /** Its file in `pictures/`. */
  logo: v.pipe(text, v.endsWith('.svg', 'must be an SVG')),
  colors: brandColorsSchema,
  tagline: text,
  copyrightYear: number,
  securityClaims: anyOf(v.strictObject({ label: text, icon })),
  socialLinks: anyOf(v.strictObject({ label: text, url: v.pipe(text, v.url('must be an address like https://…')) })),
  promos: v.nullish(v.strictObject({ solutions: v.exactOptional(promo), industries: v.exactOptional(promo) }), {}),
});

/** A sentence of a mail. @param placeholders what is filled into it */
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

/** Characters of a `mailto` URL: about 1,200 letters of English, fewer in other scripts. */
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

/** What the owner's folder says, as the programs read it: each a module `#content/<name>`, with hyphens. */
export interface Content {
  readonly brand: Brand;
  readonly siteWords: Omit<v.InferOutput<typeof siteSchema>, 'colors' | 'logo'>;
  readonly homePage: v.InferOutput<typeof homeSchema>;
  readonly aboutPage: v.InferOutput<typeof aboutSchema>;
  readonly contactPage: v.InferOutput<typeof contactSchema>;
  readonly insightsPage: v.InferOutput<typeof insightsSchema>;
  /** With the words in braces still to be filled in. */
  readonly mails: v.InferOutput<typeof mailsSchema>;
  /** With the words of `fillIn` still to be filled in. */
  readonly pageMetas: Readonly<Record<'home' | 'about' | 'contact' | 'insights', PageMeta>>;
  readonly industries: readonly Industry[];
  /** Three sentences for the value of each industry. Apart from `industries`, which every page loads. */
  readonly industryChallenges: Readonly<Record<string, readonly string[]>>;
  /** In the order the menus and the home page show them. */
  readonly solutions: readonly Solution[];
  /** By slug, in that order. */
  readonly solutionPages: Readonly<Record<string, SolutionPage>>;
  /** The newest first, without drafts and those of a day to come. */
  readonly articles: readonly Article[];
  /** The first of the days to come. */
  readonly nextArticleOn?: string | undefined;
  /** Lines with what is still sample copy, by their files. */
  readonly samples: Readonly<Record<string, readonly number[]>>;
  readonly legalPages: readonly (LegalFrontMatter & { readonly slug: string })[];
  /** Whether one of them is an imprint. Apart from them, which no page loads. */
  readonly hasImprint: boolean;
  /** New paths and addresses by old paths. */
  readonly redirects: Readonly<Record<string, string>>;
}
