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
