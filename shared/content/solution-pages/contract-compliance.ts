import { DEFAULT_CTA_LABEL, type SolutionPage } from './solution-page.ts';

export const contractCompliance: SolutionPage = {
  metaTitle: 'Contract Compliance Automation',
  metaDescription:
    'Software that reads every contract, watches every deadline, and holds each invoice against the agreed terms, so that your team reviews only what stands out.',
  headline: 'Every contract read, every deadline kept',
  description:
    'Our software reads your contracts, watches what they promise, and holds every invoice against them. Your people review only what stands out.',
  ctaLabel: DEFAULT_CTA_LABEL,
  challenges: {
    heading: 'The work it takes over',
    points: [
      {
        title: 'Finding the right version',
        text: 'Contracts and amendments are gathered from drives and inboxes into one searchable place.',
      },
      {
        title: 'Reading for the terms',
        text: 'Prices, notice periods, duties, and penalties are listed, each with its clause.',
      },
      {
        title: 'Remembering the dates',
        text: 'Renewals and notice periods are announced while there is still time to act.',
      },
      {
        title: 'Checking the invoices',
        text: 'What was billed is compared with what was agreed, line by line.',
      },
    ],
  },
  benefits: {
    heading: 'What changes',
    points: [
      {
        title: 'No renewal by accident',
        text: 'You decide in time whether to extend, renegotiate, or end a contract.',
      },
      {
        title: 'Money that was owed to you',
        text: 'Discounts and rebates you negotiated no longer go unclaimed.',
      },
      {
        title: 'Ready for the audit',
        text: 'Every duty has an owner, a status, and a record.',
      },
      {
        title: 'Lawyers do legal work',
        text: 'Routine reading is done. What remains is judgment.',
      },
    ],
  },
  figures: [{ value: '70–90%', label: 'less contract review time' }],
  closing: 'Bring a handful of contracts to the first talk. We show you what is in them.',
};
