/** What is asked about the work that could be handed over. */
export interface Busywork {
  readonly people: number;
  /** Of each of them. */
  readonly hoursPerWeek: number;
  /** In the visitor's currency. */
  readonly hourlyCost: number;
}

/** Each step from the answers to the yearly cost, and what part of it may be saved. */
export interface BusyworkCost {
  readonly weeklyHours: number;
  readonly yearlyHours: number;
  readonly yearlyCost: number;
  /** Both ends of what clients typically see. */
  readonly savings: { readonly least: number; readonly most: number };
}

/**
 * Weeks of a year in which people work: 52, less about six of vacation, holidays, and sick days. An assumption; it
 * is said beside the result.
 */
export const WORKING_WEEKS = 46;

/** Percent by which costs of transformed processes typically fall (specification, section 9). */
export const TYPICAL_SAVINGS = { least: 30, most: 50 } as const;

/** What everything starts with, and the worked example shows. Cost in dollars, as in our article on measuring the return. */
export const exampleBusywork: Busywork = { people: 12, hoursPerWeek: 5, hourlyCost: 40 };

/** What the busywork costs a year. NaN goes through: a figure that rests on a missing answer is NaN. */
export function estimateBusyworkCost({ people, hoursPerWeek, hourlyCost }: Busywork): BusyworkCost {
  const weeklyHours = people * hoursPerWeek;
  const yearlyHours = weeklyHours * WORKING_WEEKS;
  const yearlyCost = yearlyHours * hourlyCost;
  const savings = {
    least: (yearlyCost * TYPICAL_SAVINGS.least) / 100,
    most: (yearlyCost * TYPICAL_SAVINGS.most) / 100,
  };

  return { weeklyHours, yearlyHours, yearlyCost, savings };
}
