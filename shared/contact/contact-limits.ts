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
