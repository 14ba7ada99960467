/** Where a visit came from, as it is stored: `utm_*`, `referrer` and `landing_path`. */
export type SubmissionSource = Readonly<Record<string, string>>;

/** The known parts of a source, in the order in which people read them, with their labels. */
export const sourceLabels = {
  utm_source: 'Campaign source',
  utm_medium: 'Campaign medium',
  utm_campaign: 'Campaign',
  utm_term: 'Campaign term',
  utm_content: 'Campaign content',
  referrer: 'Referring site',
  landing_path: 'First page of the visit',
} as const;

export type SourceName = keyof typeof sourceLabels;

export const sourceNames = Object.keys(sourceLabels) as SourceName[];
