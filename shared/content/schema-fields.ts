import * as v from 'valibot';
import { findNearest } from '../text-difference.ts';
import { isCalendarDay } from '../time.ts';
import { iconNames } from './icon-name.ts';

/* Field types of the owner's files. Error messages continue the field's name. */

const MAX_TITLE = 65;
const DESCRIPTION = { min: 110, max: 160 };

export const text = v.pipe(v.string('must be text'), v.trim(), v.nonEmpty('must not be empty'));

export const title = v.pipe(text, v.maxLength(MAX_TITLE, `must have at most ${MAX_TITLE} characters`));

/** Shown by search engines below the title. */
export const description = v.pipe(
  text,
  v.minLength(DESCRIPTION.min, `must have at least ${DESCRIPTION.min} characters`),
  v.maxLength(DESCRIPTION.max, `must have at most ${DESCRIPTION.max} characters`),
);

export const day = v.pipe(
  v.string('must be a day like 2026-11-21'),
  v.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day like 2026-11-21'),
  v.check(isCalendarDay, 'must be an existing day'),
);

export const slug = v.pipe(
  text,
  v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and hyphens, like real-estate'),
);

export const flag = v.boolean('must be true or false');

export const number = v.number('must be a number');

/** Maximum proportion of edits. Words that differ more are similar only by chance. */
const MAX_DIFFERENCE = 0.4;

/**
 * Returns a schema for one of several words. The error suggests the nearest word if the input looks like a typo.
 * Otherwise it lists all words.
 */
export const oneOf = <const Options extends readonly string[]>(options: Options) =>
  v.picklist(options, ({ input }) => {
    const nearest = findNearest(String(input), options, MAX_DIFFERENCE);

    return nearest ? `is not known: did you mean ${nearest}?` : `must be one of ${options.join(', ')}`;
  });

export const icon = oneOf(iconNames);

const countItems = (sizes: readonly number[]) => (issue: { readonly input: readonly unknown[] }) =>
  `needs ${sizes.join(' or ')} items, has ${issue.input.length}`;

/** Returns a schema for a list with one of the given lengths, which the design requires. */
export const listOf = <Item extends v.GenericSchema>(item: Item, ...sizes: number[]) =>
  v.pipe(
    v.array(item, 'must be a list'),
    v.check((items) => sizes.includes(items.length), countItems(sizes)),
  );

/** Returns a schema for a list that may be empty or missing. */
export const anyOf = <Item extends v.GenericSchema>(item: Item) => v.nullish(v.array(item, 'must be a list'), []);

export const severalOf = <Item extends v.GenericSchema>(item: Item) =>
  v.pipe(v.array(item, 'must be a list'), v.minLength(1, 'must not be empty'));
