/** The visitor's answers. */
export interface Busywork {
  readonly people: number;
  /** Per person. */
  readonly hoursPerWeek: number;
  /** In the visitor's currency. */
  readonly hourlyCost: number;
}

export type BusyworkCost = ReturnType<typeof estimateBusyworkCost>;

/** An assumption, stated next to the result: 52 weeks minus six for vacation, holidays and sick days. */
export const WORKING_WEEKS = 46;

/** Typical savings in percent (specification, section 9). */
export const TYPICAL_SAVINGS = { least: 30, most: 50 } as const;

/** The form's initial answers and the worked example, in dollars as in the article `ai-roi-measurement`. */
export const exampleBusywork: Busywork = { people: 12, hoursPerWeek: 5, hourlyCost: 40 };

/**
 * Returns the yearly cost with its intermediate results, and the range of typical savings. Results that depend on a
 * missing answer are NaN.
 */
export function estimateBusyworkCost({ people, hoursPerWeek, hourlyCost }: Busywork) {
  const weeklyHours = people * hoursPerWeek;
  const yearlyHours = weeklyHours * WORKING_WEEKS;
  const yearlyCost = yearlyHours * hourlyCost;
  const least = (yearlyCost * TYPICAL_SAVINGS.least) / 100;
  const most = (yearlyCost * TYPICAL_SAVINGS.most) / 100;

  return { weeklyHours, yearlyHours, yearlyCost, savings: { least, most } };
}

/** Returns a count with its noun: `1 hour`, `12 hours`. */
export const countNoun = (count: string, one: string, many: string): string => `${count} ${count === '1' ? one : many}`;

/** Formats a number in English, because salespeople read it. */
const formatNumber = (value: number, decimals: number) => value.toLocaleString('en-US', { maximumFractionDigits: decimals });

/** Returns the answers and the yearly cost as a sentence for the visitor's message. @param currency ISO 4217 code */
export function describeBusywork(busywork: Busywork, currency: string): string {
  const { people, hoursPerWeek, hourlyCost } = busywork;
  const who = people === 1 ? '1 person spends' : `${formatNumber(people, 2)} people spend`;
  const hours = countNoun(formatNumber(hoursPerWeek, 2), 'hour', 'hours');
  const each = people === 1 ? '' : ' each';
  const yearlyCost = formatNumber(estimateBusyworkCost(busywork).yearlyCost, 0);

  return `By our estimate, ${who} ${hours} a week${each} on busywork, which at ${currency} ${formatNumber(hourlyCost, 2)} an hour costs about ${currency} ${yearlyCost} a year.`;
}
