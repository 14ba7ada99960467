import { emailRule, parseField, type FieldRule } from '../contact/contact-schema.ts';
import type { ParseResult } from '../problem.ts';

/** The contact form's email rule with other messages, because any address is fine here. */
const rule: FieldRule = {
  ...emailRule,
  name: 'Email address',
  missing: 'Enter your email address.',
};

export interface NewsletterRequest {
  /** In lower case, with the domain as typed. */
  readonly email: string;
}

/** Parses a newsletter request from any input and ignores other keys. */
export function parseNewsletterRequest(body: unknown): ParseResult<NewsletterRequest> {
  const { email: given } = Object(body) as Readonly<Record<string, unknown>>;
  // Convert to lower case first, because a few letters become two characters.
  const { text, error } = parseField(rule, typeof given === 'string' ? given.toLowerCase() : given);

  return error === undefined
    ? { ok: true, value: { email: text } }
    : { ok: false, errors: { email: error } };
}
