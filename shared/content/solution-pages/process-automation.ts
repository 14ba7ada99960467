import type { SolutionPage } from './solution-page.ts';

export const processAutomation: SolutionPage = {
  metaTitle: 'Process Automation for Office and Plant',
  metaDescription:
    'Orders, invoices, reports, maintenance: we automate the work your people repeat every week, and they keep the decisions. Start with a process assessment.',
  headline: 'The repeated work now runs by itself',
  description:
    'We take the tasks your people repeat every week, let software do them, and bring only the exceptions to a person.',
  ctaLabel: 'Get Your Process Assessment',
  challenges: {
    heading: 'The work we take over',
    points: [
      {
        title: 'Typing the same data twice',
        text: 'Orders, delivery notes, and invoices are read once and land in every system they belong to.',
      },
      {
        title: 'Waiting for an approval',
        text: 'Requests find the right person by themselves, with what that person needs to decide.',
      },
      {
        title: 'The Monday report',
        text: 'Figures are collected overnight. The report is there before the meeting is.',
      },
      {
        title: 'Maintenance after the breakdown',
        text: 'Machine data shows wear early, so that repairs happen when you plan them.',
      },
    ],
  },
  benefits: {
    heading: 'What changes',
    points: [
      {
        title: 'Hours come back',
        text: 'People spend the day on customers and decisions, and less of it on copying.',
      },
      {
        title: 'Fewer errors to chase',
        text: 'A value entered once is the same everywhere. Odd values are flagged before they travel.',
      },
      {
        title: 'Every step on record',
        text: 'Who approved what, and when, is written down without anyone writing it.',
      },
      {
        title: 'Growth without more desks',
        text: 'Twice the orders no longer means twice the paperwork.',
      },
    ],
  },
  figures: [
    { value: '50%', label: 'lower maintenance cost, in manufacturing' },
    { value: '60%', label: 'less downtime, in manufacturing' },
  ],
  closing: 'Name the task your people like least. We tell you what it would take to automate it.',
};
