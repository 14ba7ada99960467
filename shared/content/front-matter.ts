import * as v from 'valibot';
import { isCalendarDay } from '../time.ts';
import { articleCategories } from './article-categories.ts';

/*
 * What stands above the texts. The browser may import the types only: the check belongs to the
 * build and the server.
 */

const MAX_TITLE = 65;
const DESCRIPTION = { min: 110, max: 160 };

const text = v.pipe(v.string('must be text'), v.trim(), v.nonEmpty('must not be empty'));

const title = v.pipe(text, v.maxLength(MAX_TITLE, `must have at most ${MAX_TITLE} characters`));

/** What search engines show below the title. */
const description = v.pipe(
  text,
  v.minLength(DESCRIPTION.min, `must have at least ${DESCRIPTION.min} characters`),
  v.maxLength(DESCRIPTION.max, `must have at most ${DESCRIPTION.max} characters`),
);

const day = v.pipe(
  v.string('must be a day like 2026-11-21'),
  v.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day like 2026-11-21'),
  v.check(isCalendarDay, 'must be a day of the calendar'),
);

const oneOf = <const Options extends readonly string[]>(options: Options) =>
  v.picklist(options, `must be one of ${options.join(', ')}`);

/** Of a legal page. */
export const legalFrontMatterSchema = v.strictObject({ title, description, updatedOn: day });

export type LegalFrontMatter = v.InferOutput<typeof legalFrontMatterSchema>;

/** Of an article. */
export const articleFrontMatterSchema = v.strictObject({
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
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
  ),
  /** Its file in `client/assets/pictures/articles/`, without `.jpg`. */
  picture: text,
  pictureAlt: text,
  isFeatured: v.boolean('must be true or false'),
  /** Whether the visitor's own estimate follows the text. */
  hasEstimate: v.optional(v.boolean('must be true or false')),
});

export type ArticleFrontMatter = v.InferOutput<typeof articleFrontMatterSchema>;
