import { expect, test } from 'vitest';
import type { TypedContactFields } from '../../../shared/contact/contact-schema.ts';
import { recheckField } from './use-contact-form.ts';

const values: TypedContactFields = {
  name: '',
  email: 'ada@example.com',
  company: 'Engines',
  phone: '',
  industry: '',
  message: '',
};
const errors = { name: 'Enter your full name.', email: 'Enter your business email.' };

test('the message of a corrected field is removed, the others stay', () => {
  expect(recheckField(errors, 'email', values)).toEqual({ name: 'Enter your full name.' });
});

test('a field with another error gets its message', () => {
  expect(recheckField(errors, 'email', { ...values, email: 'ada@' })['email']).toMatch(/complete/);
});

test('a field without a message gets none while it is typed', () => {
  expect(recheckField(errors, 'company', { ...values, company: '' })).toBe(errors);
});
