import { DEFAULT_CTA_LABEL, type SolutionPage } from './solution-page.ts';

export const whiteLabelPlatform: SolutionPage = {
  metaTitle: 'White-Label AI Software Under Your Name',
  metaDescription:
    'Offer your clients an AI product under your own name. We build, host, and maintain it on a proven base, so that you launch sooner and at a lower cost.',
  headline: 'Your software product, without a software department',
  description:
    'We build your AI product on a base that already works. It carries your name, follows your rules, and your clients deal only with you.',
  ctaLabel: DEFAULT_CTA_LABEL,
  challenges: {
    heading: 'Why good ideas stay in the drawer',
    points: [
      {
        title: 'Building takes too long',
        text: 'By the time a new team has hired, chosen its tools, and shipped, the market has moved.',
      },
      {
        title: 'Developers are hard to find',
        text: 'And once found, they have to be led by someone who knows the trade.',
      },
      {
        title: 'Security is asked about first',
        text: 'Large clients send a questionnaire before they send an order.',
      },
      {
        title: 'Launch is only the start',
        text: 'Updates, support, and hosting cost money every month, whether you planned for it or not.',
      },
    ],
  },
  benefits: {
    heading: 'What you get',
    points: [
      {
        title: 'Your name on everything',
        text: 'Logo, colors, domain, and e-mails are yours. We stay in the background.',
      },
      {
        title: 'A base that is already tested',
        text: 'We start from parts that are common to most products and build what makes yours different.',
      },
      {
        title: 'Upkeep included',
        text: 'Updates, monitoring, and backups are part of the agreement, at a price you know.',
      },
      {
        title: 'A new line of revenue',
        text: 'Your expertise, sold as a subscription as well as by the hour.',
      },
    ],
  },
  figures: [
    { value: '80%', label: 'faster launch' },
    { value: '70–90%', label: 'lower development costs' },
  ],
  closing: 'Tell us what your clients keep asking for. We tell you what a first version would take.',
};
