import type { SolutionPage } from './solution-page.ts';

export const crossSellingAi: SolutionPage = {
  metaTitle: 'Cross-Selling AI Engine',
  metaDescription:
    'See which of your existing customers is ready for what, why, and whom to call first. An AI engine that gives your sales team a short, reasoned list.',
  headline: 'Your next sale is a customer already',
  description:
    'The engine reads what your customers buy, ask, and stop buying, and gives each salesperson a short list with reasons.',
  ctaLabel: 'Get Your Revenue Assessment',
  challenges: {
    heading: 'The work it takes over',
    points: [
      {
        title: 'Knowing every customer',
        text: 'Orders, service calls, and e-mails come together into one picture per customer.',
      },
      {
        title: 'Seeing the gap',
        text: 'It notices what similar customers buy and this one does not.',
      },
      {
        title: 'Choosing the moment',
        text: 'A renewal, a complaint solved, a new site: the list changes when the customer does.',
      },
      {
        title: 'Preparing the call',
        text: 'Each name comes with the reason, the history, and a first sentence to start from.',
      },
    ],
  },
  benefits: {
    heading: 'What changes',
    points: [
      {
        title: 'Sales starts with a list',
        text: 'On Monday morning everyone knows whom to call, and why.',
      },
      {
        title: 'Customers feel understood',
        text: 'They hear about what helps them, and are spared the rest.',
      },
      {
        title: 'Early word of a loss',
        text: 'A customer who goes quiet is noticed while there is still something to talk about.',
      },
      {
        title: 'It learns from the result',
        text: 'What was sold and what was refused both improve next week’s list.',
      },
    ],
  },
  figures: [{ value: '25–40%', label: 'more revenue through cross-selling' }],
  closing: 'We look at your product range and customer data and tell you what a list could contain.',
};
