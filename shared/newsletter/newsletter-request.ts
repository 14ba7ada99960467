import { emailRule, parseField, type FieldRule } from '../contact/contact-schema.ts';
import type { ParseResult } from '../problem.ts';

/** The contact form's rule; only the messages differ: any address will do here. */
const rule: FieldRule = {
  ...emailRule,
  name: 'Email address',
  missing: 'Enter your email address.',
};

export interface NewsletterRequest {
  /** In lower case; its domain as it was typed. */
  readonly email: string;
}

/** Parses a request for the newsletter from anything at all; other keys are ignored. */
export function parseNewsletterRequest(body: unknown): ParseResult<NewsletterRequest> {
  const { email: given } = Object(body) as Readonly<Record<string, unknown>>;
  // Before the check: a few letters become two characters in lower case.
  const { text, error } = parseField(rule, typeof given === 'string' ? given.toLowerCase() : given);

  return error === undefined
    ? { ok: true, value: { email: text } }
    : { ok: false, errors: { email: error } };
}
