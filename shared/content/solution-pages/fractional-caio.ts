import type { SolutionPage } from './solution-page.ts';

export const fractionalCaio: SolutionPage = {
  metaTitle: 'Fractional Chief AI Officer (CAIO) Services',
  metaDescription:
    'A part-time Chief AI Officer for mid-market companies: sets priorities, compares vendors, writes rules for safe use, and trains the person who takes over.',
  updatedOn: '2026-11-21',
  headline: 'Someone senior who owns the AI question',
  description:
    'A fractional Chief AI Officer joins your leadership team part-time, weighs cost against risk, chooses vendors with you, and answers to you for the result.',
  ctaLabel: 'Get Your AI Assessment',
  figures: [
    {
      value: '60–80%',
      label: 'faster AI adoption, as clients with a fractional CAIO typically see',
    },
  ],
  challenges: {
    heading: 'Decisions that land on nobody’s desk',
    lead: 'In a company without a Chief AI Officer, these wait or get decided by accident.',
    points: [
      {
        title: 'Plenty of vetoes, no owner',
        text: 'IT worries about security, finance about cost, sales about speed. Each can stop a project, and none of them can start one.',
      },
      {
        title: 'Vendors all sound alike',
        text: 'Every sales deck shows the same chart. Telling a sound offer from a good slide takes someone who has seen such systems fail.',
      },
      {
        title: 'Staff use it already',
        text: 'They have private accounts, no rules, and now and then a customer list in a chat window. Forbidding it has only made it quieter.',
      },
      {
        title: 'The board wants an answer',
        text: 'Directors ask about the AI plan every quarter. The slide they get was written the night before by whoever had time.',
      },
      {
        title: 'Clauses signed unread',
        text: 'A software renewal now lets the supplier train on your data. Legal saw the price, IT saw the features, and it was signed.',
      },
      {
        title: 'A full-time hire is too much',
        text: 'The search is long and the salary high. What you need, at least for now, is a few days a month.',
      },
    ],
  },
  benefits: {
    heading: 'What your CAIO takes on',
    lead: 'The job description is short.',
    points: [
      {
        icon: 'compass',
        title: 'Sets the priorities',
        text: 'A short written plan states what comes first, what it may cost, who is responsible, and which popular ideas you can skip this year.',
      },
      {
        icon: 'briefcase-business',
        title: 'Compares vendors with you',
        text: 'Bids are tried out on your own documents before anyone signs, and your CAIO negotiates from your side of the contract.',
      },
      {
        icon: 'shield-check',
        title: 'Writes the house rules',
        text: 'A policy your staff will read says which data may enter which tool, who checks the output, and whom to ask when in doubt.',
      },
      {
        icon: 'user-check',
        title: 'Trains a successor',
        text: 'Someone on your staff learns the role by sitting in on it, and takes over meetings one by one until you can let us go.',
      },
    ],
  },
  // Sample copy: replace with a customer's own words before going live.
  testimonial: {
    quote:
      'Our CAIO advised against the project I liked best. She was right, and the board noticed that someone was checking.',
    role: 'Chief Executive Officer',
    companySize: 'mid-market logistics company',
  },
  howItWorks: {
    heading: 'The CAIO’s time with you, step by step',
    steps: [
      {
        title: 'Discovery',
        text: 'Your CAIO talks with each member of the leadership team, lists the AI tools in use, approved or otherwise, and reads the contracts behind them. You hear the uncomfortable findings first.',
      },
      {
        title: 'Strategy',
        text: 'You and your executives settle on a handful of goals, a spending limit, and who decides what. The board gets a paper it can approve, with rules for customer data.',
      },
      {
        title: 'Pilot',
        text: 'One goal becomes a project with a manager from your company in charge. Your CAIO attends the weekly review, keeps the supplier to its word, and ends the project early if it disappoints.',
      },
      {
        title: 'Scale',
        text: 'What worked becomes a program with a calendar and a budget line. The CAIO spends fewer days with you as your own AI lead takes the chair, and remains on call for board questions.',
      },
    ],
  },
  closing: {
    title: 'Do you need a CAIO at all?',
    text: 'Tell us which AI decisions are waiting. If your own people can settle them, that will be our answer.',
  },
};
