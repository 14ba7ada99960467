import { DEFAULT_CTA_LABEL, type SolutionPage } from './solution-page.ts';

export const vendorManagement: SolutionPage = {
  metaTitle: 'Vendor Management System',
  metaDescription:
    'All your vendors, their terms, performance, and cost in one place, kept current by AI, so that you negotiate with facts and stop paying for what is idle.',
  headline: 'Know every vendor, term, and dollar',
  description:
    'One place for who supplies you, on what terms, how well, and at what price, kept current without anyone chasing e-mails.',
  ctaLabel: DEFAULT_CTA_LABEL,
  challenges: {
    heading: 'The work it takes over',
    points: [
      {
        title: 'Keeping the list',
        text: 'Vendors, contacts, certificates, and bank details are collected and checked for you.',
      },
      {
        title: 'Adding up the spend',
        text: 'Purchases from all departments come together, so the same vendor appears once.',
      },
      {
        title: 'Watching performance',
        text: 'Late deliveries and complaints are noted as they happen, in one record.',
      },
      {
        title: 'Preparing negotiations',
        text: 'Before the talk you have volume, history, terms, and alternatives on one page.',
      },
    ],
  },
  benefits: {
    heading: 'What changes',
    points: [
      {
        title: 'You negotiate with facts',
        text: 'You know what you buy in total and what was promised in return.',
      },
      {
        title: 'Idle services end',
        text: 'Subscriptions and contracts nobody uses come to light, with the date they can end.',
      },
      {
        title: 'Risks show early',
        text: 'An expired certificate or a single source is a note on a list, well before it is a crisis.',
      },
      {
        title: 'New vendors start faster',
        text: 'Checks and forms run in one flow that the vendor fills in once.',
      },
    ],
  },
  figures: [{ value: '15–30%', label: 'lower vendor costs' }],
  closing: 'Send us your list of vendors. We show you where we would look first.',
};
