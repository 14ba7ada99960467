import { expect, test } from 'vitest';
import type { ContactFields } from '../../../shared/contact/contact-schema.ts';
import { continueAttempt } from './submission-attempt.ts';

const fields: ContactFields = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  company: 'Engines',
  phone: null,
  industry: 'education',
  message: null,
};

test('the first attempt gets an id of its own', () => {
  expect(continueAttempt(null, fields, () => 'first').id).toBe('first');
});

test('a retry of the same content keeps its id', () => {
  const first = continueAttempt(null, fields, () => 'first');

  expect(continueAttempt(first, { ...fields }, () => 'second')).toEqual(first);
});

test.each([
  ['name', { ...fields, name: 'Ada' }],
  ['industry', { ...fields, industry: null }],
  ['message', { ...fields, message: 'Hello' }],
] as const)('changed content in %s gets a new id', (_field, changed) => {
  const first = continueAttempt(null, fields, () => 'first');

  expect(continueAttempt(first, changed, () => 'second').id).toBe('second');
});

test('text that moves from one field to another is other content', () => {
  const first = continueAttempt(null, { ...fields, phone: '1' }, () => 'first');

  expect(continueAttempt(first, { ...fields, message: '1' }, () => 'second').id).toBe('second');
});
