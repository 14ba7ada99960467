/** One of the cards beside the request form. */
export interface ContactCard {
  readonly id: string;
  readonly title: string;
  /** Steps in their order, rather than a list of points. */
  readonly isSequence: boolean;
  readonly items: readonly ContactCardItem[];
}

export interface ContactCardItem {
  readonly title: string;
  /** A sentence or several. */
  readonly description?: string;
}

/** What everybody who asks for an assessment gets. */
export const deliverables: readonly ContactCardItem[] = [
  { title: 'Opportunities report' },
  { title: 'Operations audit' },
  { title: 'Technology roadmap' },
  { title: 'ROI projections' },
  { title: 'Free consultation' },
];

/** How an assessment goes, step by step. */
const process: readonly ContactCardItem[] = [
  { title: 'Discovery Call', description: 'You describe the work, and we ask.' },
  { title: 'Analysis Phase', description: 'We look at the work, the tools, and the costs.' },
  { title: 'Recommendations', description: 'You get a list: what to do first, and why.' },
  { title: 'Implementation Planning', description: 'Steps, owners, and dates.' },
];

/** What happens once a request has arrived. */
export const nextSteps: readonly ContactCardItem[] = [
  { title: 'We get in touch', description: 'We schedule your free consultation with you.' },
  ...process,
];

/** The three cards, in order, for a site of this name. */
export function listContactCards(siteName: string): readonly ContactCard[] {
  return [
    {
      id: 'deliverables',
      title: "What You'll Receive",
      isSequence: false,
      items: deliverables,
    },
    {
      id: 'process',
      title: 'Our Process',
      isSequence: true,
      items: process,
    },
    {
      id: 'reasons',
      title: `Why Choose ${siteName}`,
      isSequence: false,
      items: [
        { title: 'SOC2 Type II certified' },
        { title: 'Proven AI solutions' },
        { title: 'Custom implementation' },
        { title: 'Multi-industry expertise' },
        { title: 'Free, with no obligations' },
      ],
    },
  ];
}
