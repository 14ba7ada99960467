import { expect, test } from 'vitest';
import { getIndustryLabel, industryOptions, isIndustryOption } from './industry-options.ts';

test.each(industryOptions)('$value is an option, read as $label', ({ value, label }) => {
  expect(isIndustryOption(value)).toBe(true);
  expect(getIndustryLabel(value)).toBe(label);
});

test.each([null, undefined, '', 'Healthcare', 'health', 'toString'])('%j is none', (value) => {
  expect(isIndustryOption(value)).toBe(false);
});
