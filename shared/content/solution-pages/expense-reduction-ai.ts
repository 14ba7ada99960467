import { DEFAULT_CTA_LABEL, type SolutionPage } from './solution-page.ts';

export const expenseReductionAi: SolutionPage = {
  metaTitle: 'Expense Reduction AI Platform for Consultants',
  metaDescription:
    'For expense-reduction consulting firms: read every invoice, compare every rate, and show clients where the money goes, with fewer hours per engagement.',
  headline: 'Find the savings before the first meeting',
  description:
    'A platform for expense-reduction consulting firms that reads every invoice, compares every rate, and prepares the findings you present.',
  ctaLabel: DEFAULT_CTA_LABEL,
  challenges: {
    heading: 'The work it takes over',
    points: [
      {
        title: 'Collecting the documents',
        text: 'Invoices and statements arrive in every format. The platform reads and sorts them all.',
      },
      {
        title: 'Looking at every line',
        text: 'A sample finds some errors. Reading everything finds the rest.',
      },
      {
        title: 'Comparing rates',
        text: 'Each price is held against the contract and against what else the client pays.',
      },
      {
        title: 'Watching after the report',
        text: 'When an old charge creeps back in, you hear of it, and so does your client.',
      },
    ],
  },
  benefits: {
    heading: 'What your firm gains',
    points: [
      {
        title: 'More clients per consultant',
        text: 'The hours that went into spreadsheets go into advice.',
      },
      {
        title: 'Findings with evidence',
        text: 'Every saving links to the invoice line and the clause it rests on.',
      },
      {
        title: 'Smaller clients pay off too',
        text: 'With less manual work, engagements that were too small become worth taking.',
      },
      {
        title: 'A reason to stay',
        text: 'Ongoing monitoring turns a one-time project into a lasting relationship.',
      },
    ],
  },
  figures: [{ value: '20–40%', label: 'lower costs in the expenses under review' }],
  closing: 'We go through one of your typical engagements and show which hours would disappear.',
};
