import { expect, test } from 'vitest';
import { DeliveryError, toDeliveryError } from './delivery-error.ts';

test('a failure that is classified stays so', () => {
  const error = new DeliveryError('dead', 'crm-400');

  expect(toDeliveryError(error)).toBe(error);
});

test('an error that nobody classified is tried again, with its code as the reason if it has one', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:25'), { code: 'ECONNREFUSED' });

  expect(toDeliveryError(refused)).toMatchObject({ result: 'retry', reason: 'ECONNREFUSED', cause: refused });
  for (const thrown of [new TypeError('x'), 'text', undefined]) {
    expect(toDeliveryError(thrown)).toMatchObject({ result: 'retry', reason: 'unexpected-error', cause: thrown });
  }
});

test('a failure says nothing of the mail’s hand-over, of its recipient or of a wait unless it is told', () => {
  expect(new DeliveryError('retry', 'crm-500')).toMatchObject({
    name: 'DeliveryError',
    message: 'crm-500',
    isAmbiguous: false,
    isRecipientRefused: false,
    kindWaitsMs: undefined,
    waitsMs: undefined,
    cause: undefined,
  });
  const details = { isAmbiguous: true, isRecipientRefused: true, kindWaitsMs: 7, waitsMs: 8 };
  expect(new DeliveryError('retry', 'x', details)).toMatchObject(details);
});

test.each([
  ['dead', true, true],
  ['retry', true, false],
  ['dead', false, false],
] as const)('a recipient is refused for good where the failure is %s and about the recipient: %s', (result, isRecipientRefused, isForGood) => {
  expect(new DeliveryError(result, 'smtp-550', { isRecipientRefused }).isRecipientRefusedForGood).toBe(isForGood);
});
