import type { TitledText } from '../../../shared/content/solution-pages/solution-page.ts';

/** What the section covers, in general words: the gated listing's entries are not for this page. */
export const readingGuides: readonly TitledText[] = [
  {
    title: 'Decide',
    text: 'How to tell a sound use of AI from an expensive experiment before money is spent.',
  },
  {
    title: 'Calculate',
    text: 'What to count, what to leave out, and how to report the result to your board.',
  },
  {
    title: 'Carry out',
    text: 'How companies bring people, data, and older systems along, one step at a time.',
  },
  {
    title: 'Stay safe',
    text: 'Which rules apply to your data and your industry, and how to keep to them.',
  },
];
