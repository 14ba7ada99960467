import type { IconPoint } from '../../../shared/content/solution-pages/solution-page.ts';

/**
 * The founder story, a paragraph each.
 * @param name the site's name
 */
export function listStoryParagraphs(name: string): readonly string[] {
  return [
    'It began in a family confectionery business. The family knew sugar, chocolate, and its customers. What filled the days was something else: orders copied from one sheet to the next, supplier invoices checked by hand, delivery dates chased by telephone.',
    'None of it was hard, and none of it earned anything. It simply never ended. New recipes waited, and so did customers who wanted to talk.',
    'So the family sorted it out. First everything was brought into one place. Then the repeated work was handed over, task by task, to software that did it the same way every time. What came back was time, and the time went into what the family was good at.',
    `${name} does the same for other companies. The tools have changed, and AI now does work that no software could do then. The question has stayed the same: what would your people do with the hours, if the busywork were gone?`,
  ];
}

export const principles: readonly IconPoint[] = [
  {
    title: 'Impact',
    icon: 'target',
    text: 'We start with the work that costs you the most, measure before and after, and say so when something is not worth doing.',
  },
  {
    title: 'Optimism',
    icon: 'lightbulb',
    text: 'Most work that wears people down can be done differently. We look for how, and we bring your team along.',
  },
  {
    title: 'Fun',
    icon: 'smile',
    text: 'People do better work when the dull part is gone. That goes for your team, and it goes for ours.',
  },
];
