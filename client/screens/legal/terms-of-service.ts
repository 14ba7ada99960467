import { RESPONSE_PROMISE, type Site } from '../../../shared/site.ts';
import type { LegalSection } from './legal-section.ts';

/**
 * The terms: thirteen sections, as the specification counts them. Sample text; counsel must
 * review it before the site goes live.
 */
export function makeTermsOfService({ legalEntity, name, publicUrl }: Site): readonly LegalSection[] {
  return [
    {
      heading: 'Agreement',
      paragraphs: [
        `These terms apply between you and ${legalEntity} (“we”) when you use the website ${publicUrl} or ask for an assessment through it (together, the “Services”, offered under the name ${name}). By using the Services you agree to these terms. If you do not agree, please do not use them.`,
      ],
    },
    {
      heading: 'Who may use the Services',
      paragraphs: [
        'You must be at least 18 years old to use the Services. If you act for a company, you confirm that you are entitled to do so.',
      ],
    },
    {
      heading: 'What we offer here',
      paragraphs: [
        'The website informs about our solutions and lets you ask for a free business transformation assessment. It does not itself sell anything. Paid work is done only under a separate written agreement, which then takes precedence over these terms.',
      ],
    },
    {
      heading: 'The free assessment',
      paragraphs: [
        `The assessment is free and carries no obligation for you to buy anything. We aim to answer every request ${RESPONSE_PROMISE}. We may decline a request, for example when we lack the expertise or a conflict of interest exists.`,
        'An assessment rests on what you tell us. It is a recommendation, and no guarantee of a result.',
      ],
    },
    {
      heading: 'Your information',
      paragraphs: [
        'You are responsible for the information you send being correct and for being allowed to send it. How we treat personal data is described in our Privacy Policy.',
      ],
    },
    {
      heading: 'Acceptable use',
      paragraphs: ['When you use the Services, you may not:'],
      items: [
        'break the law or the rights of others;',
        'send false requests, advertising, or harmful code;',
        'test, overload, or bypass the security of the website without our written consent;',
        'collect content or data by automated means beyond what search engines usually do.',
      ],
    },
    {
      heading: 'The insights section',
      paragraphs: [
        'Parts of the insights section may be protected by a password. The password is meant for the people we give it to. We may change it or end access at any time.',
      ],
    },
    {
      heading: 'Intellectual property',
      paragraphs: [
        'Texts, pictures, videos, software, and marks on this website belong to us or to our licensors. You may read, print, and share pages for your own business purposes, with their source. Any other use needs our consent.',
      ],
    },
    {
      heading: 'Figures and examples',
      paragraphs: [
        'Figures on this website describe what clients typically see, and examples marked as illustrative show how a project may run. Your results depend on your situation. Nothing on this website is legal, tax, or financial advice.',
      ],
    },
    {
      heading: 'Links to other websites',
      paragraphs: [
        'Where we link to websites of others, we do so for your convenience. We have no influence on their content and are not responsible for it.',
      ],
    },
    {
      heading: 'No warranty',
      paragraphs: [
        'We run the website with care. Still, it is provided as it is and as available, and we do not warrant that it is always reachable, complete, or free of errors, as far as the law allows us to say so.',
      ],
    },
    {
      heading: 'Limits of liability',
      paragraphs: [
        'As far as the law allows, we are not liable for indirect or consequential damage, or for lost profit or data, arising from the use of this website. Nothing in these terms limits a liability that the law does not allow to be limited, such as liability for intent, gross negligence, or harm to life and health.',
      ],
    },
    {
      heading: 'Changes, law, and contact',
      paragraphs: [
        `We may change these terms. The version published on this page applies to your use from then on. The law of the place where ${legalEntity} is established applies, and its courts decide, unless mandatory law says otherwise. If one part of these terms is invalid, the others remain in force.`,
        'Questions about these terms reach us here:',
      ],
      hasContact: true,
    },
  ];
}
