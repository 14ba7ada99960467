import { expect, test } from 'vitest';
import { DeliveryError, toDeliveryError } from './delivery-error.ts';

test('a classified failure stays unchanged', () => {
  const error = new DeliveryError('dead', 'crm-400');

  expect(toDeliveryError(error)).toBe(error);
});

test('an unclassified error is retried, with its code as the reason if it has one', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:25'), { code: 'ECONNREFUSED' });

  expect(toDeliveryError(refused)).toMatchObject({ result: 'retry', reason: 'ECONNREFUSED', cause: refused });
  for (const thrown of [new TypeError('x'), 'text', undefined]) {
    expect(toDeliveryError(thrown)).toMatchObject({ result: 'retry', reason: 'unexpected-error', cause: thrown });
  }
});

test.each([
  ['dead', true, true],
  ['retry', true, false],
  ['dead', false, false],
] as const)('a failure with the result %s and isRecipientRefused %s is a permanent refusal of the recipient: %s', (result, isRecipientRefused, isForGood) => {
  expect(new DeliveryError(result, 'smtp-550', { isRecipientRefused }).isRecipientRefusedForGood).toBe(isForGood);
});
