import type { ParseResult } from '../problem.ts';
import { getResponsePromise, type Site } from '../site.ts';
import { isIndustryOption } from './industry-options.ts';

/**
 * Limits for contact requests, shared by the form, the server and the database checks. Counted in code points, like
 * PostgreSQL's `char_length`.
 */
export const contactLimits = {
  name: { min: 1, max: 200 },
  email: { min: 3, max: 254 },
  company: { min: 1, max: 200 },
  phone: { max: 40 },
  message: { max: 5_000 },
} as const;

/** Maximum size of a request body in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Formats a count: `5,000`. Avoids `Intl`, whose first use in a browser takes longer than all the form's scripts. */
export function writeCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Message for an accepted request. */
export const writeSuccess = (site: Pick<Site, 'promise'>): string =>
  `Congratulations! Your assessment request has been submitted successfully. We'll be in touch ${getResponsePromise(site, 'full')} to schedule your free consultation.`;

/** The contact form's texts, word for word from the specification. */
export const contactMessages = {
  heading: 'Get Your Free Business Transformation Assessment',
  submitting: 'Submitting...',
  success: writeSuccess({}),
  /** Prefix for an error from the server. */
  serverError: 'Database error: ',
  /** Prefix if no response arrived. */
  noResponse: 'Submission failed: ',
} as const;

/** Control characters and lone surrogates can't be stored or put in a mail header. */
const NOT_STORABLE_IN_LINE = /[\p{Cc}\p{Cs}]/u;
const NOT_STORABLE_IN_TEXT = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

/**
 * More combining marks in a row than any language uses (UAX 15, section 13). Normalization takes quadratic time for them,
 * up to seconds for a full body.
 */
export const TOO_MANY_COMBINING_MARKS = /\p{M}{31}/u;

/** Matches text that looks empty: format characters, fillers, empty Braille cells and spaces. */
const INVISIBLE_TEXT = /^[\p{Cf}\p{DI}\u2800\p{Z}]+$/u;

/** Many scripts write vowels as marks. `EMAIL` excludes invisible marks. */
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}-]{0,61}[\\p{L}\\p{N}\\p{M}])?';

/**
 * An address as accepted by HTML's `input type=email`, except that the domain needs a dot and may use any script. Source:
 * https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
 */
const EMAIL = new RegExp(
  `^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@(?!.*\\p{DI})(?:${LABEL}\\.)+${LABEL}$`,
  'u',
);

/** A field's validation rule. Messages are for visitors. */
export interface FieldRule {
  /** The field's name at the start of an error message. */
  readonly name: string;
  /** Maximum length in characters. Fields with fixed options need none. */
  readonly max?: number;
  readonly forbidden: RegExp;
  /** Error if the field is empty. Without it, the field is optional. */
  readonly missing?: string;
  /** An additional condition and its error message. */
  readonly pattern?: { readonly test: (text: string) => boolean; readonly message: string };
}

/** The rule of each field, in form order. */
const fieldRules = {
  name: {
    name: 'Full name',
    max: contactLimits.name.max,
    forbidden: NOT_STORABLE_IN_LINE,
    missing: 'Enter your full name.',
  },
  email: {
    name: 'Business email',
    max: contactLimits.email.max,
    forbidden: NOT_STORABLE_IN_LINE,
    missing: 'Enter your business email.',
    pattern: {
      test: (text: string) => EMAIL.test(text),
      message: 'Enter a complete email address, like name@company.com.',
    },
  },
  company: {
    name: 'Company name',
    max: contactLimits.company.max,
    forbidden: NOT_STORABLE_IN_LINE,
    missing: 'Enter your company name.',
  },
  phone: { name: 'Phone', max: contactLimits.phone.max, forbidden: NOT_STORABLE_IN_LINE },
  industry: {
    name: 'Industry',
    forbidden: NOT_STORABLE_IN_LINE,
    pattern: {
      test: isIndustryOption,
      message: 'Choose an industry from the list.',
    },
  },
  message: { name: 'Message', max: contactLimits.message.max, forbidden: NOT_STORABLE_IN_TEXT },
} as const satisfies Record<string, FieldRule>;

/** Single-line text fields in form order, with their labels and autofill types. */
export const textFields = [
  { name: 'name', label: 'Full Name', type: 'text', autoComplete: 'name', isRequired: true },
  { name: 'email', label: 'Business Email', type: 'email', autoComplete: 'email', isRequired: true },
  { name: 'company', label: 'Company Name', type: 'text', autoComplete: 'organization', isRequired: true },
  { name: 'phone', label: 'Phone', type: 'tel', autoComplete: 'tel', isRequired: false },
] as const;

/** The form's other texts. */
export const formWords = {
  industry: 'Industry',
  noIndustry: 'Select your industry',
  message: 'Message',
  messageHint: `What takes up your team’s time? Up to ${writeCount(contactLimits.message.max)} characters.`,
  honeypot: 'Subject (please leave this empty)',
  submit: 'Get Your Free Assessment',
} as const;

type FieldRules = typeof fieldRules;

/** The email rule, used by all forms. */
export const emailRule: FieldRule = fieldRules.email;

export type ContactFieldName = keyof FieldRules;

/** The fields as stored: trimmed, in NFC, null if optional and empty. */
export type ContactFields = {
  readonly [Name in Exclude<ContactFieldName, 'industry'>]: FieldRules[Name] extends {
    readonly missing: string;
  }
    ? string
    : string | null;
} & { readonly industry: string | null };

/** Returns a field's name as shown to people. */
export const getFieldTitle = (name: ContactFieldName): string => fieldRules[name].name;

export const contactFieldNames = Object.keys(fieldRules) as ContactFieldName[];

/** Unchecked input, for showing the form again. */
export type TypedContactFields = Readonly<Record<ContactFieldName, string>>;

/** Returns the fields with the values that `read` returns. */
export const mapContactFields = <Value>(read: (name: ContactFieldName) => Value) =>
  Object.fromEntries(contactFieldNames.map((name) => [name, read(name)])) as Readonly<Record<ContactFieldName, Value>>;

// A character has at most two UTF-16 units. Counting the characters of a whole body would be the slowest check.
const hasMoreCharacters = (text: string, max: number): boolean =>
  text.length > 2 * max || Array.from(text).length > max;

const describeForbidden = ({ name }: FieldRule) => `${name} contains characters that can’t be used.`;

/** Returns the first error in a normalized value. */
function findError(rule: FieldRule, text: string) {
  const { name, max, forbidden, missing, pattern } = rule;
  if (text === '') return missing;
  if (forbidden.test(text)) return describeForbidden(rule);
  if (max !== undefined && hasMoreCharacters(text, max)) {
    return `${name} can be at most ${writeCount(max)} characters long.`;
  }

  return pattern && !pattern.test(text) ? pattern.message : undefined;
}

/** A field's text to store, and its error if any. */
interface ParsedField {
  readonly text: string;
  readonly error: string | undefined;
}

/** Parses one field of any type: trims it, and normalizes it to NFC and LF. */
export function parseField(rule: FieldRule, value: unknown): ParsedField {
  const given = value ?? '';
  if (typeof given !== 'string') return { text: '', error: `${rule.name} must be text.` };
  if (TOO_MANY_COMBINING_MARKS.test(given)) return { text: '', error: describeForbidden(rule) };
  // Submitted forms end lines with CR LF, scripts with LF. The pattern matches each run of CR as a whole, which avoids
  // quadratic backtracking.
  const lines = given.replace(/\r+(\n?)/g, (run, end: string) => end || run);
  const typed = lines.trim().normalize('NFC');
  const text = INVISIBLE_TEXT.test(typed) ? '' : typed;

  return { text, error: findError(rule, text) };
}

/** Parses the fields from any input and ignores other keys. */
export function parseContactFields(input: unknown): ParseResult<ContactFields> {
  const given = Object(input) as Readonly<Record<string, unknown>>;
  const values: Record<string, string | null> = {};
  const errors: Record<string, string> = {};
  for (const name of contactFieldNames) {
    const { text, error } = parseField(fieldRules[name], given[name]);
    if (error !== undefined) errors[name] = error;
    values[name] = text === '' ? null : text;
  }

  return Object.keys(errors).length > 0
    ? { ok: false, errors }
    : { ok: true, value: values as ContactFields };
}
