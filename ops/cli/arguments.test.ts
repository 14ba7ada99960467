import { InvalidArgumentError } from 'commander';
import { describe, expect, test } from 'vitest';
import { readSince } from './arguments.ts';

describe('--since', () => {
  test.each([
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-11-01T09:00Z', '2026-11-01T09:00:00.000Z'],
    ['2026-11-01T00:30+01:00', '2026-10-31T23:30:00.000Z'],
  ])('accepts %s', (text, iso) => {
    expect(readSince(text)).toEqual(new Date(iso));
  });

  test.each(['2026-02-31', '2026-02-31T09:00Z', '2025-02-29', '2026-13-01', '2026-1-1', '2026', 'soon'])(
    'refuses %s',
    (text) => {
      expect(() => readSince(text)).toThrow(InvalidArgumentError);
    },
  );
});
