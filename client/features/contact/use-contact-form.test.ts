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

test('correcting a field removes only its own error', () => {
  expect(recheckField(errors, 'email', values)).toEqual({ name: 'Enter your full name.' });
});

test('a different error replaces the earlier one', () => {
  expect(recheckField(errors, 'email', { ...values, email: 'ada@' })['email']).toMatch(/complete/);
});

test('typing adds no error to a field without one', () => {
  expect(recheckField(errors, 'company', { ...values, company: '' })).toBe(errors);
});
