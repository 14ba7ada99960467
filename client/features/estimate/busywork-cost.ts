/** What is asked about the work that could be handed over. */
export interface Busywork {
  readonly people: number;
  /** Of each of them. */
  readonly hoursPerWeek: number;
  /** In the visitor's currency. */
  readonly hourlyCost: number;
}

export type BusyworkCost = ReturnType<typeof estimateBusyworkCost>;

/**
 * Weeks of a year in which people work: 52, less about six of vacation, holidays, and sick days. An assumption; it
 * is said beside the result.
 */
export const WORKING_WEEKS = 46;

/** Percent by which costs of transformed processes typically fall (specification, section 9). */
export const TYPICAL_SAVINGS = { least: 30, most: 50 } as const;

/** What everything starts with, and the worked example shows. Cost in dollars, as in our article on measuring the return. */
export const exampleBusywork: Busywork = { people: 12, hoursPerWeek: 5, hourlyCost: 40 };

/**
 * Each step from the answers to the yearly cost, and both ends of what clients typically save. NaN goes through: a
 * figure that rests on a missing answer is NaN.
 */
export function estimateBusyworkCost({ people, hoursPerWeek, hourlyCost }: Busywork) {
  const weeklyHours = people * hoursPerWeek;
  const yearlyHours = weeklyHours * WORKING_WEEKS;
  const yearlyCost = yearlyHours * hourlyCost;
  const least = (yearlyCost * TYPICAL_SAVINGS.least) / 100;
  const most = (yearlyCost * TYPICAL_SAVINGS.most) / 100;

  return { weeklyHours, yearlyHours, yearlyCost, savings: { least, most } };
}

/** A count and its noun: `1 hour`, `12 hours`. */
export const writeCounted = (count: string, one: string, many: string): string => `${count} ${count === '1' ? one : many}`;

/** Those who read it need not share the visitor's language. */
const write = (value: number, decimals: number) => value.toLocaleString('en-US', { maximumFractionDigits: decimals });

/**
 * The answers and the yearly cost as a sentence of the visitor's message to sales.
 * @param currency by ISO 4217
 */
export function describeBusywork(busywork: Busywork, currency: string): string {
  const { people, hoursPerWeek, hourlyCost } = busywork;
  const who = people === 1 ? '1 person spends' : `${write(people, 2)} people spend`;
  const hours = writeCounted(write(hoursPerWeek, 2), 'hour', 'hours');
  const each = people === 1 ? '' : ' each';
  const yearlyCost = write(estimateBusyworkCost(busywork).yearlyCost, 0);

  return `By our estimate, ${who} ${hours} a week${each} on busywork, which at ${currency} ${write(hourlyCost, 2)} an hour costs about ${currency} ${yearlyCost} a year.`;
}
