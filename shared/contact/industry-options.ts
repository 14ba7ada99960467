import { industries } from '#content/industries';

/** The choices of the form's industry field, in the order they are offered. */
export const industryOptions: readonly { readonly value: string; readonly label: string }[] = [
  ...industries.map(({ value, name }) => ({ value, label: name })),
  { value: 'other', label: 'Other' },
];

const labels: ReadonlyMap<string, string> = new Map(industryOptions.map(({ value, label }) => [value, label]));

/** Whether a text from outside (a query, a request) names one of the options. */
export function isIndustryOption(value: string | null | undefined): value is string {
  return value !== null && value !== undefined && labels.has(value);
}

/** The words a person reads for an option: of one that the owner has taken out since, its value. */
export function getIndustryLabel(value: string): string {
  return labels.get(value) ?? value;
}
