import { DEFAULT_CTA_LABEL, type SolutionPage } from './solution-page.ts';

export const aiTransformation: SolutionPage = {
  metaTitle: 'AI Transformation for Mid-Market Companies',
  metaDescription:
    'One plan for AI across your company: which work it takes over, in what order, at what cost. We write the plan and carry it out with your own people.',
  headline: 'Put AI to work where it pays',
  description:
    'We find the work that costs you the most, agree on an order, and move it to AI one process at a time, with your own people at the controls.',
  ctaLabel: DEFAULT_CTA_LABEL,
  challenges: {
    heading: 'What holds companies back',
    points: [
      {
        title: 'Many tools, no plan',
        text: 'Every department tries something. Nobody can say what it cost or what it brought.',
      },
      {
        title: 'Data in ten places',
        text: 'Figures live in inboxes, spreadsheets, and old systems that do not talk to each other.',
      },
      {
        title: 'No time to change anything',
        text: 'The people who know the work best are the ones buried in it.',
      },
      {
        title: 'Pilots that stay pilots',
        text: 'A trial impresses everyone in March and is forgotten by June, because no one owned it.',
      },
    ],
  },
  benefits: {
    heading: 'What you get',
    points: [
      {
        title: 'A list you can decide on',
        text: 'Every candidate task with its cost, its risk, and what it takes to hand it over.',
      },
      {
        title: 'One source of figures',
        text: 'The data behind your decisions comes together before anything is automated.',
      },
      {
        title: 'People who can run it',
        text: 'Your team learns each step as it goes live, so that nothing depends on us.',
      },
      {
        title: 'Results in plain numbers',
        text: 'We measure before and after, and report both in a page your CFO can check.',
      },
    ],
  },
  figures: [{ value: '30–50%', label: 'lower costs in the processes we transform' }],
  closing: 'We look at your processes and tell you which to move first, and which to leave alone.',
};
