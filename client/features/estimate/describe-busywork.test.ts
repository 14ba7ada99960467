import { expect, test } from 'vitest';
import { estimateBusyworkCost, exampleBusywork, type Busywork } from './busywork-cost.ts';
import { describeBusywork } from './describe-busywork.ts';

const describe = (busywork: Busywork, currency: string) =>
  describeBusywork(busywork, estimateBusyworkCost(busywork), currency);

test('the three answers and the yearly cost are one sentence', () => {
  expect(describe(exampleBusywork, 'USD')).toBe(
    'By our estimate, 12 people spend 5 hours a week each on busywork, which at USD 40 an hour costs about USD 110,400 a year.',
  );
});

test('one person is one, and cents of the result are left out', () => {
  expect(describe({ people: 1, hoursPerWeek: 1, hourlyCost: 1234.56 }, 'SEK')).toBe(
    'By our estimate, 1 person spends 1 hour a week on busywork, which at SEK 1,234.56 an hour costs about SEK 56,790 a year.',
  );
});
