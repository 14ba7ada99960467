/** The choices of the form's industry field, in the order they are offered. */
export const industryOptions = [
  { value: 'healthcare', label: 'Healthcare' },
  { value: 'manufacturing', label: 'Manufacturing' },
  { value: 'financial-services', label: 'Financial Services' },
  { value: 'professional-services', label: 'Professional Services' },
  { value: 'education', label: 'Education' },
  { value: 'retail-ecommerce', label: 'Retail & E-commerce' },
  { value: 'transportation-logistics', label: 'Transportation & Logistics' },
  { value: 'real-estate', label: 'Real Estate' },
  { value: 'private-equity', label: 'Private Equity' },
  { value: 'other', label: 'Other' },
] as const;

export type IndustryOption = (typeof industryOptions)[number]['value'];

const labels: ReadonlyMap<string, string> = new Map(
  industryOptions.map(({ value, label }) => [value, label]),
);

export const industryValues = industryOptions.map(({ value }) => value);

/** Whether a text from outside (a query, a request) names one of the options. */
export function isIndustryOption(value: string | null | undefined): value is IndustryOption {
  return value !== null && value !== undefined && labels.has(value);
}

/** The words a person reads for an option. */
export function getIndustryLabel(option: IndustryOption): string {
  return labels.get(option) ?? option;
}
