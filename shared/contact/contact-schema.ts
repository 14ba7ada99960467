import * as v from 'valibot';
import { contactLimits } from './contact-limits.ts';
import { industryValues } from './industry-options.ts';

/** Control characters and lone surrogates can't be stored as text or put in a mail header. */
const NOT_STORABLE_IN_LINE = /[\p{Cc}\p{Cs}]/u;
const NOT_STORABLE_IN_TEXT = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?';

/**
 * An address as the HTML standard's `input type=email` accepts it, with two differences: the
 * domain needs a dot (sales must be able to answer) and may be written in its own script.
 * Source: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
 */
const EMAIL = new RegExp(
  `^[a-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@(?:${LABEL}\\.)+${LABEL}$`,
  'iu',
);

const countCharacters = (text: string): number => Array.from(text).length;

function normalizedText(forbidden: RegExp, max: number, name: string) {
  return v.pipe(
    v.string(`${name} must be text.`),
    // A form post ends lines with CR LF, a script with LF: the content is the same.
    v.transform((text) => text.replaceAll('\r\n', '\n').trim().normalize('NFC')),
    v.check((text) => !forbidden.test(text), `${name} contains characters that can’t be used.`),
    v.check(
      (text) => countCharacters(text) <= max,
      `${name} can be at most ${max.toLocaleString('en-US')} characters long.`,
    ),
  );
}

function requiredLine(max: number, name: string, missing: string) {
  return v.pipe(
    v.optional(v.nullable(v.unknown(), ''), ''),
    normalizedText(NOT_STORABLE_IN_LINE, max, name),
    v.check((text) => text !== '', missing),
  );
}

const emptyToNull = v.transform((text: string): string | null => (text === '' ? null : text));

function optionalText(forbidden: RegExp, max: number, name: string) {
  return v.pipe(
    v.optional(v.nullable(v.unknown(), ''), ''),
    normalizedText(forbidden, max, name),
    emptyToNull,
  );
}

const industry = v.pipe(
  v.optional(v.nullable(v.unknown(), ''), ''),
  v.union(
    [v.picklist(industryValues), v.pipe(v.literal(''), v.transform(() => null))],
    'Choose an industry from the list.',
  ),
);

/**
 * The six fields of a contact request: from anything at all to trimmed text in NFC with empty
 * optional fields as null, or one sentence per bad field. The form, the JSON call and the
 * plain form post all use it.
 */
export const contactFieldsSchema = v.object({
  name: requiredLine(contactLimits.name.max, 'Full name', 'Enter your full name.'),
  email: v.pipe(
    requiredLine(contactLimits.email.max, 'Business email', 'Enter your business email.'),
    v.check(
      (text) => text === '' || EMAIL.test(text),
      'Enter a complete email address, like name@company.com.',
    ),
  ),
  company: requiredLine(contactLimits.company.max, 'Company name', 'Enter your company name.'),
  phone: optionalText(NOT_STORABLE_IN_LINE, contactLimits.phone.max, 'Phone number'),
  industry,
  message: optionalText(NOT_STORABLE_IN_TEXT, contactLimits.message.max, 'Message'),
});

export type ContactFields = v.InferOutput<typeof contactFieldsSchema>;
export type ContactFieldName = keyof ContactFields;
export const contactFieldNames = Object.keys(contactFieldsSchema.entries) as ContactFieldName[];

/** What was typed, before any check: what the form shows again. */
export type TypedContactFields = Readonly<Record<ContactFieldName, string>>;

/** One sentence per bad field, keyed by its name in the request. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Outcome of reading something from outside: the value, or a sentence per bad field. */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly errors: FieldErrors };

/** Reads `input` by `schema`; of several faults in one field the first is told. */
export function readBySchema<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
): Reading<v.InferOutput<Schema>> {
  const result = v.safeParse(schema, input);

  if (result.success) return { ok: true, value: result.output };

  const errors: Record<string, string> = {};
  for (const issue of result.issues) {
    const field = v.getDotPath(issue)?.split('.')[0] ?? 'body';
    errors[field] ??= issue.message;
  }

  return { ok: false, errors };
}
