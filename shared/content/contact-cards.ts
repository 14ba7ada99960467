/** One of the cards beside the request form. */
export interface ContactCard {
  readonly id: string;
  readonly title: string;
  /** Steps in their order, rather than a list of points. */
  readonly isSequence: boolean;
  readonly items: readonly ContactCardItem[];
}

interface ContactCardItem {
  readonly title: string;
  readonly description?: string;
}

/** The three cards, in order, for a site of this name. */
export function listContactCards(siteName: string): readonly ContactCard[] {
  return [
    {
      id: 'deliverables',
      title: "What You'll Receive",
      isSequence: false,
      items: [
        { title: 'Opportunities report' },
        { title: 'Operations audit' },
        { title: 'Technology roadmap' },
        { title: 'ROI projections' },
        { title: 'Free consultation' },
      ],
    },
    {
      id: 'process',
      title: 'Our Process',
      isSequence: true,
      items: [
        { title: 'Discovery Call', description: 'You describe the work, and we ask.' },
        { title: 'Analysis Phase', description: 'We look at the work, the tools, and the costs.' },
        { title: 'Recommendations', description: 'You get a list: what to do first, and why.' },
        { title: 'Implementation Planning', description: 'Steps, owners, and dates.' },
      ],
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
