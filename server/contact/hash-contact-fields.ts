import { createHash } from 'node:crypto';
import { contactFieldNames, type ContactFields } from '../../shared/contact/contact-schema.ts';

/** Fingerprint of the six fields as stored: equal exactly when the content is. */
export function hashContactFields(fields: ContactFields): string {
  const content = JSON.stringify(contactFieldNames.map((name) => fields[name]));

  return createHash('sha256').update(content).digest('hex');
}
