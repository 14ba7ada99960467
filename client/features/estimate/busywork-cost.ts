/** The visitor's answers. */
export interface Busywork {
  readonly people: number;
  /** Per person. */
  readonly hoursPerWeek: number;
  /** In the visitor's currency. */
  readonly hourlyCost: number;
}

export type BusyworkCost = ReturnType<typeof estimateBusyworkCost>;

/** Assumption, stated next to the result: 52 weeks minus about six of vacation, holidays and sick days. */
export const WORKING_WEEKS = 46;

/** Typical savings in percent (specification, section 9). */
export const TYPICAL_SAVINGS = { least: 30, most: 50 } as const;

/** Initial values and worked example. In dollars, as in our article on measuring the return. */
export const exampleBusywork: Busywork = { people: 12, hoursPerWeek: 5, hourlyCost: 40 };

/**
 * Returns each step up to the yearly cost, and the range of typical savings. Results that depend on a missing answer
 * are NaN.
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

/** Sales reads this in English. */
const write = (value: number, decimals: number) => value.toLocaleString('en-US', { maximumFractionDigits: decimals });

/** Returns the answers and the yearly cost as a sentence for the visitor's message. @param currency ISO 4217 code */
export function describeBusywork(busywork: Busywork, currency: string): string {
  const { people, hoursPerWeek, hourlyCost } = busywork;
  const who = people === 1 ? '1 person spends' : `${write(people, 2)} people spend`;
  const hours = countNoun(write(hoursPerWeek, 2), 'hour', 'hours');
  const each = people === 1 ? '' : ' each';
  const yearlyCost = write(estimateBusyworkCost(busywork).yearlyCost, 0);

  return `By our estimate, ${who} ${hours} a week${each} on busywork, which at ${currency} ${write(hourlyCost, 2)} an hour costs about ${currency} ${yearlyCost} a year.`;
}
