import { expect, test } from 'vitest';
import { getIndustryLabel, industryOptions, isIndustryOption } from './industry-options.ts';

test.each(industryOptions)('$value is an option with the label $label', ({ value, label }) => {
  expect(isIndustryOption(value)).toBe(true);
  expect(getIndustryLabel(value)).toBe(label);
});

test.each([null, undefined, '', 'Healthcare', 'health', 'toString'])('%j is not an option', (value) => {
  expect(isIndustryOption(value)).toBe(false);
});
