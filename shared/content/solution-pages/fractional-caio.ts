import type { SolutionPage } from './solution-page.ts';

export const fractionalCaio: SolutionPage = {
  metaTitle: 'Fractional Chief AI Officer (CAIO) Services',
  metaDescription:
    'An experienced Chief AI Officer for the days you need one: strategy, vendor choice, rules for safe use, and a team that learns to carry on by itself.',
  headline: 'A Chief AI Officer, for the days needed',
  description:
    'Someone at your table who owns the AI question, knows the market, and answers to you, without the cost of a full-time executive.',
  ctaLabel: 'Get Your AI Assessment',
  challenges: {
    heading: 'What lands on nobody’s desk',
    points: [
      {
        title: 'Who decides about AI?',
        text: 'IT looks at security, finance at cost, sales at speed. Someone has to weigh all three.',
      },
      {
        title: 'Every vendor promises the same',
        text: 'Telling a sound offer from a good slide takes experience few companies have in-house.',
      },
      {
        title: 'Staff use it already',
        text: 'With private accounts, without rules, and sometimes with customer data.',
      },
      {
        title: 'A full-time hire is too much',
        text: 'The search is long and the salary high, and the need is a few days a month.',
      },
    ],
  },
  benefits: {
    heading: 'What your CAIO does',
    points: [
      {
        title: 'Sets the order',
        text: 'A short written plan: what comes first, what it costs, and what you skip.',
      },
      {
        title: 'Chooses with you',
        text: 'Compares vendors on your terms and sits on your side of the table.',
      },
      {
        title: 'Writes the rules',
        text: 'Which data may go where, who may use what, and who checks.',
      },
      {
        title: 'Builds your own team',
        text: 'Trains the people who will carry the work on when the job is done.',
      },
    ],
  },
  figures: [{ value: '60–80%', label: 'faster AI adoption' }],
  closing: 'We talk about where you stand and whether a fractional CAIO is what you need.',
};
