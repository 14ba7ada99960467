import { emailRule, readField, type FieldRule, type Reading } from '../contact/contact-schema.ts';

/** The contact form's rule; only what is said of the field differs: any address will do here. */
const rule: FieldRule = {
  ...emailRule,
  name: 'Email address',
  missing: 'Enter your email address.',
};

export interface NewsletterRequest {
  /** Lower case, so that an address is one subscriber however it is written. */
  readonly email: string;
}

/** Reads a request for the newsletter from anything at all; other keys are ignored. */
export function readNewsletterRequest(body: unknown): Reading<NewsletterRequest> {
  const { email: given } = Object(body) as Readonly<Record<string, unknown>>;
  // Before the check: a few letters become two characters in lower case.
  const { text, fault } = readField(rule, typeof given === 'string' ? given.toLowerCase() : given);

  return fault === undefined
    ? { ok: true, value: { email: text } }
    : { ok: false, errors: { email: fault } };
}
