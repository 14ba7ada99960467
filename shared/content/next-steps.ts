import { process, type ContactCardItem } from './contact-cards.ts';

/** What happens once a request has arrived: it ends in the assessment. */
export const nextSteps: readonly ContactCardItem[] = [
  { title: 'We get in touch', description: 'We schedule your free consultation with you.' },
  ...process,
];
