import { expect, test } from 'vitest';
import { measureProgress } from './reading-progress.tsx';

const measure = (top: number, height = 3_000) =>
  measureProgress({ top, height, screenHeight: 1_000 });

test('nothing is read while the beginning is on the screen, and all once the end is', () => {
  expect(measure(400)).toBe(0);
  expect(measure(0)).toBe(0);
  expect(measure(-500)).toBe(0.25);
  expect(measure(-1_000)).toBe(0.5);
  expect(measure(-2_000)).toBe(1);
  expect(measure(-2_900)).toBe(1);
});

test('a text lower than the screen is read once its end is on the screen', () => {
  expect(measure(800, 500)).toBe(0);
  expect(measure(400, 500)).toBe(1);
});
