import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeBusywork, estimateBusyworkCost, exampleBusywork } from './busywork-cost.ts';

test('the example costs 2,760 hours and $110,400 a year, with savings of $33,120 to $55,200', () => {
  expect(estimateBusyworkCost(exampleBusywork)).toEqual({
    weeklyHours: 60,
    yearlyHours: 2760,
    yearlyCost: 110_400,
    savings: { least: 33_120, most: 55_200 },
  });
});

/** From 0 to 10 million, with two decimals. */
const answer = fc.nat({ max: 1_000_000_000 }).map((hundredths) => hundredths / 100);
const busywork = fc.record({ people: answer, hoursPerWeek: answer, hourlyCost: answer });

test('savings are finite, ordered and at most half of the cost', () => {
  fc.assert(
    fc.property(busywork, (answers) => {
      const { yearlyCost, savings } = estimateBusyworkCost(answers);

      expect(Number.isFinite(yearlyCost)).toBe(true);
      expect(savings.least).toBeGreaterThanOrEqual(0);
      expect(savings.most).toBeGreaterThanOrEqual(savings.least);
      expect(yearlyCost).toBeGreaterThanOrEqual(savings.most);
    }),
  );
});

test('a missing answer affects only the figures that depend on it', () => {
  const { weeklyHours, yearlyCost } = estimateBusyworkCost({ ...exampleBusywork, hourlyCost: NaN });

  expect(weeklyHours).toBe(60);
  expect(yearlyCost).toBeNaN();
});

test('answers and yearly cost are summarized in one sentence', () => {
  expect(describeBusywork(exampleBusywork, 'USD')).toBe(
    'By our estimate, 12 people spend 5 hours a week each on busywork, which at USD 40 an hour costs about USD 110,400 a year.',
  );
});

test('the summary uses the singular for one person and rounds to whole units', () => {
  expect(describeBusywork({ people: 1, hoursPerWeek: 1, hourlyCost: 1234.56 }, 'SEK')).toBe(
    'By our estimate, 1 person spends 1 hour a week on busywork, which at SEK 1,234.56 an hour costs about SEK 56,790 a year.',
  );
});
