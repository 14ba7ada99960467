import * as v from 'valibot';

const MAX_TITLE = 60;
const DESCRIPTION = { min: 110, max: 160 };

/** Whether `YYYY-MM-DD` is a day of the calendar: 30 February isn't. */
function isCalendarDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);

  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * What stands above the text of a legal page. The browser may import its type only: the check
 * belongs to the build and the server.
 */
export const legalFrontMatterSchema = v.strictObject({
  title: v.pipe(
    v.string('must be text'),
    v.trim(),
    v.nonEmpty('must not be empty'),
    v.maxLength(MAX_TITLE, `must have at most ${MAX_TITLE} characters`),
  ),
  description: v.pipe(
    v.string('must be text'),
    v.trim(),
    v.minLength(DESCRIPTION.min, `must have at least ${DESCRIPTION.min} characters`),
    v.maxLength(DESCRIPTION.max, `must have at most ${DESCRIPTION.max} characters`),
  ),
  updatedOn: v.pipe(
    v.string('must be a day like 2026-11-21'),
    v.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day like 2026-11-21'),
    v.check(isCalendarDay, 'must be a day of the calendar'),
  ),
});

export type LegalFrontMatter = v.InferOutput<typeof legalFrontMatterSchema>;
