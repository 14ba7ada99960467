import { industries } from '#content/industries';

/** Options of the form's industry field, in order. */
export const industryOptions: readonly { readonly value: string; readonly label: string }[] = [
  ...industries.map(({ value, name }) => ({ value, label: name })),
  { value: 'other', label: 'Other' },
];

const labels: ReadonlyMap<string, string> = new Map(industryOptions.map(({ value, label }) => [value, label]));

/** Returns whether an untrusted text is an option's value. */
export function isIndustryOption(value: string | null | undefined): value is string {
  return value !== null && value !== undefined && labels.has(value);
}

/** Returns an option's label, or its value if the option no longer exists. */
export function getIndustryLabel(value: string): string {
  return labels.get(value) ?? value;
}
