import type { ParseResult } from '../problem.ts';
import { getResponsePromise, type Site } from '../site.ts';
import { isIndustryOption } from './industry-options.ts';

/**
 * Limits of a contact request, counted in Unicode characters (code points) as PostgreSQL's
 * `char_length` does. The form, the server and the database checks all use these.
 */
export const contactLimits = {
  name: { min: 1, max: 200 },
  email: { min: 3, max: 254 },
  company: { min: 1, max: 200 },
  phone: { max: 40 },
  message: { max: 5_000 },
} as const;

/** Largest request body the server reads, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * A count as an English text has it: `5,000`. Without `Intl`, whose first use takes a browser longer
 * than all of the form's scripts.
 */
export function writeCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** What is said of a request that was accepted. */
export const writeSuccess = (site: Pick<Site, 'promise'>): string =>
  `Congratulations! Your assessment request has been submitted successfully. We'll be in touch ${getResponsePromise(site, 'full')} to schedule your free consultation.`;

/** Sentences of the contact form that the specification gives word for word. */
export const contactMessages = {
  heading: 'Get Your Free Business Transformation Assessment',
  submitting: 'Submitting...',
  success: writeSuccess({}),
  /** Prefix when the server reports an error. */
  serverError: 'Database error: ',
  /** Prefix when no response came. */
  noResponse: 'Submission failed: ',
} as const;

/** Control characters and lone surrogates can't be stored as text or put in a mail header. */
const NOT_STORABLE_IN_LINE = /[\p{Cc}\p{Cs}]/u;
const NOT_STORABLE_IN_TEXT = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

/**
 * More marks on one character than any language has (UAX 15, section 13). Normalizing takes their number squared,
 * seconds for as many as a body can have.
 */
export const TOO_MANY_MARKS = /\p{M}{31}/u;

/** Format characters, fillers, an empty Braille cell and spaces alone: a field that looks empty is. */
const SHOWS_NOTHING = /^[\p{Cf}\p{DI}\u2800\p{Z}]+$/u;

/** Many scripts write vowels as marks. Some marks show nothing: those `EMAIL` refuses. */
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}-]{0,61}[\\p{L}\\p{N}\\p{M}])?';

/**
 * An address as the HTML standard's `input type=email` accepts it, with two differences: the
 * domain needs a dot (sales must be able to answer) and may be written in its own script.
 * Source: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
 */
const EMAIL = new RegExp(
  `^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@(?!.*\\p{DI})(?:${LABEL}\\.)+${LABEL}$`,
  'u',
);

/** What is checked of a field; the messages are for the person who filled it in. */
export interface FieldRule {
  /** Starts a sentence about the field. */
  readonly name: string;
  /** In characters; what is one of a list needs none. */
  readonly max?: number;
  readonly forbidden: RegExp;
  /** Shown when the field is empty; without it the field is optional. */
  readonly missing?: string;
  /** A further condition, and the error message where it isn't met. */
  readonly pattern?: { readonly test: (text: string) => boolean; readonly message: string };
}

/** The schema of a contact request: a rule per field, in the order of the form. */
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

/** The fields of one line, in the order of the form: what they are called, and what browsers fill them with. */
export const textFields = [
  { name: 'name', label: 'Full Name', type: 'text', autoComplete: 'name', isRequired: true },
  { name: 'email', label: 'Business Email', type: 'email', autoComplete: 'email', isRequired: true },
  { name: 'company', label: 'Company Name', type: 'text', autoComplete: 'organization', isRequired: true },
  { name: 'phone', label: 'Phone', type: 'tel', autoComplete: 'tel', isRequired: false },
] as const;

/** The other words of the form, with and without JavaScript. */
export const formWords = {
  industry: 'Industry',
  noIndustry: 'Select your industry',
  message: 'Message',
  messageHint: `What takes up your team’s time? Up to ${writeCount(contactLimits.message.max)} characters.`,
  honeypot: 'Subject (please leave this empty)',
  submit: 'Get Your Free Assessment',
} as const;

type FieldRules = typeof fieldRules;

/** The rule of an email address, in every form of the site. */
export const emailRule: FieldRule = fieldRules.email;

export type ContactFieldName = keyof FieldRules;

/** The six fields as they are stored: trimmed, in NFC, empty optional ones null. */
export type ContactFields = {
  readonly [Name in Exclude<ContactFieldName, 'industry'>]: FieldRules[Name] extends {
    readonly missing: string;
  }
    ? string
    : string | null;
} & { readonly industry: string | null };

/** What people call a field. */
export const getFieldTitle = (name: ContactFieldName): string => fieldRules[name].name;

export const contactFieldNames = Object.keys(fieldRules) as ContactFieldName[];

/** What was typed, before any check: what the form shows again. */
export type TypedContactFields = Readonly<Record<ContactFieldName, string>>;

/** The fields with what `read` gives for each. */
export const mapContactFields = (read: (name: ContactFieldName) => string): TypedContactFields =>
  Object.fromEntries(contactFieldNames.map((name) => [name, read(name)])) as TypedContactFields;

// A character has two UTF-16 units at most. Counting those of a whole body takes longer than all other checks together.
const hasMoreCharacters = (text: string, max: number): boolean =>
  text.length > 2 * max || Array.from(text).length > max;

const describeForbidden = ({ name }: FieldRule) => `${name} contains characters that can’t be used.`;

/** The first error in a field's normalized text. */
function findError(rule: FieldRule, text: string) {
  const { name, max, forbidden, missing, pattern } = rule;
  if (text === '') return missing;
  if (forbidden.test(text)) return describeForbidden(rule);
  if (max !== undefined && hasMoreCharacters(text, max)) {
    return `${name} can be at most ${writeCount(max)} characters long.`;
  }

  return pattern && !pattern.test(text) ? pattern.message : undefined;
}

/** A field's text as it is stored, with its error message if it has one. */
interface ParsedField {
  readonly text: string;
  readonly error: string | undefined;
}

/** Parses one field from anything at all: trimmed, in NFC, lines ending with LF. */
export function parseField(rule: FieldRule, value: unknown): ParsedField {
  const given = value ?? '';
  if (typeof given !== 'string') return { text: '', error: `${rule.name} must be text.` };
  if (TOO_MANY_MARKS.test(given)) return { text: '', error: describeForbidden(rule) };
  // A form post ends lines with CR LF, a script with LF: the content is the same. The pattern takes each run of CR
  // once, with or without LF: one that fails at its end would be tried again from each CR of it.
  const lines = given.replace(/\r+(\n?)/g, (run, end: string) => end || run);
  const typed = lines.trim().normalize('NFC');
  const text = SHOWS_NOTHING.test(typed) ? '' : typed;

  return { text, error: findError(rule, text) };
}

/**
 * Parses the six fields from anything at all; other keys are ignored. The form, the JSON call and
 * the plain form post all use it.
 */
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
