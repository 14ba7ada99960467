import type { Site } from '../../../shared/site.ts';
import type { LegalSection } from './legal-section.ts';

/**
 * The privacy policy: ten sections, as the specification counts them. Sample text; counsel must
 * review it before the site goes live.
 */
export function makePrivacyPolicy({ legalEntity, name, publicUrl }: Site): readonly LegalSection[] {
  return [
    {
      heading: 'Who we are',
      paragraphs: [
        `This policy applies to the website ${publicUrl} and to the assessments and services offered through it under the name ${name} (together, the “Services”). ${legalEntity} (“we”) is responsible for the personal data described here.`,
      ],
    },
    {
      heading: 'Data you give us',
      paragraphs: [
        'When you ask for an assessment, we receive what you enter into the form: your name, business e-mail address, and company, and, if you choose to give them, your phone number, industry, and message. We also record when the request was sent.',
        'If you write to us or subscribe to a newsletter, we receive your e-mail address and what you write. Please do not send us confidential data or data of other people through the form.',
      ],
    },
    {
      heading: 'Data that arises when you visit',
      paragraphs: [
        'Your browser transmits technical data with every request, such as your IP address, the page asked for, and the time. We use it to deliver the page and to protect the website from misuse. We may also note which page or link led you to a request.',
        'We use no advertising trackers and load nothing from other companies’ servers while you read.',
      ],
    },
    {
      heading: 'Cookies and storage in your browser',
      paragraphs: [
        'You can read the public pages without any cookie. We store data in your browser only where a function needs it:',
      ],
      items: [
        'A form you have begun to fill in is kept in your browser until you send it or close the tab, so that a reload does not lose your text.',
        'If you enter the password of the insights section, a cookie and an entry in local storage remember that. Both are removed when you lock the section again.',
      ],
    },
    {
      heading: 'Why we use your data',
      paragraphs: ['We use personal data for these purposes only:'],
      items: [
        'to answer your request, prepare your assessment, and talk with you about our services;',
        'to send you a newsletter you have subscribed to and confirmed;',
        'to run the website, keep it secure, and find faults;',
        'to fulfill legal duties, such as keeping business records.',
      ],
    },
    {
      heading: 'Who receives your data',
      paragraphs: [
        'Within our organization, people see your data who need it for their work. Providers that process data for us, such as hosting, e-mail, and customer-relationship systems, receive it under contract and only for the purposes named here.',
        'We do not sell personal data. We disclose it to authorities where the law obliges us to, and to a successor if the business is transferred, who is then bound by this policy.',
      ],
    },
    {
      heading: 'How long we keep it',
      paragraphs: [
        'We keep requests and correspondence as long as needed to answer them and to advise you, and afterwards for a limited period so that we can follow up. When that period ends, requests are erased or made anonymous, unless the law requires us to keep them longer.',
        'A newsletter address is kept until you unsubscribe. Technical logs are kept for a short time only.',
      ],
    },
    {
      heading: 'How we protect it',
      paragraphs: [
        'We use technical and organizational measures suited to the risk: data travels encrypted over HTTPS, and access is limited to those who need it. No system is free of risk. If a breach concerns you, we inform you as the law requires.',
      ],
    },
    {
      heading: 'Children',
      paragraphs: [
        'The Services are intended for businesses. They are not directed at children under 13, and we do not knowingly collect personal data from them. If you believe that a child has sent us data, tell us and we will delete it.',
      ],
    },
    {
      heading: 'Your rights and how to reach us',
      paragraphs: [
        'Depending on where you live, you may ask us which data we hold about you, have it corrected or deleted, receive a copy, object to its use, or withdraw a consent. You may also complain to the data protection authority responsible for you. We do not treat you worse for using these rights.',
        'If we change this policy, the new version is published on this page. Write to us with any question about it:',
      ],
      hasContact: true,
    },
  ];
}
