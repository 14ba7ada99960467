import type {
  IconPoint,
  Testimonial,
  TitledText,
} from '../../../shared/content/solution-pages/solution-page.ts';

export const pillars: readonly IconPoint[] = [
  {
    title: 'Expand Revenue',
    icon: 'trending-up',
    text: 'Find the sale that is already in your customer list, and give your team the hours to make it.',
  },
  {
    title: 'Cut Operational Costs',
    icon: 'coins',
    text: 'See what leaves the company for vendors, expenses, and manual work. Stop paying for what nobody needs.',
  },
  {
    title: 'Increase Business Value',
    icon: 'landmark',
    text: 'A company whose processes are documented, measured, and free of heroics is worth more to its owner, and to the next one.',
  },
];

// Sample copy: replace with customers' own words before going live.
export const testimonials: readonly Testimonial[] = [
  {
    quote:
      'I used to spend the first week of every month collecting figures. Now I spend it talking to the people behind them.',
    role: 'Chief Financial Officer',
    companySize: 'mid-market distributor',
  },
  {
    quote:
      'They told us which two of our ideas to drop. That saved us a year, and it is why we trusted them with the third.',
    role: 'Operating Partner',
    companySize: 'private equity firm with a mid-market portfolio',
  },
];

export const processSteps: readonly TitledText[] = [
  {
    title: 'Assess',
    text: 'We sit down with the people who do the work and list the tasks that cost the most time and money. This first look is free.',
  },
  {
    title: 'Centralize',
    text: 'Data from inboxes, spreadsheets, and separate systems comes together in one place you can trust.',
  },
  {
    title: 'Automate',
    text: 'One process at a time moves to AI. A person checks every result until the results hold.',
  },
  {
    title: 'Optimize',
    text: 'We measure what changed, report it in plain figures, and improve what is left.',
  },
];
