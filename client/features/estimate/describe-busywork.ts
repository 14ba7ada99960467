import type { Busywork, BusyworkCost } from './busywork-cost.ts';

/** A count and its noun: `1 hour`, `12 hours`. */
export const writeCounted = (count: string, one: string, many: string): string => `${count} ${count === '1' ? one : many}`;

/** Those who read it need not share the visitor's language. */
const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const wholeNumbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/**
 * The answers and the yearly cost as a sentence of the visitor's message to sales.
 * @param currency by ISO 4217
 */
export function describeBusywork(
  { people, hoursPerWeek, hourlyCost }: Busywork,
  { yearlyCost }: BusyworkCost,
  currency: string,
): string {
  const who = people === 1 ? '1 person spends' : `${numbers.format(people)} people spend`;
  const hours = writeCounted(numbers.format(hoursPerWeek), 'hour', 'hours');
  const each = people === 1 ? '' : ' each';
  const hour = `${currency} ${numbers.format(hourlyCost)}`;

  return `By our estimate, ${who} ${hours} a week${each} on busywork, which at ${hour} an hour costs about ${currency} ${wholeNumbers.format(yearlyCost)} a year.`;
}
