import { getResponsePromise, type Site } from '../site.ts';
import type { PageMeta } from './page-meta.ts';

/** Pages whose text is in their screen, and the two that answer for addresses without a page. */
type StaticPage =
  | 'home'
  | 'insights'
  | 'about'
  | 'contact'
  | 'videoTest'
  | 'followUp'
  | 'heldRequest'
  | 'newsletter'
  | 'notFound';

const UPDATED_ON = '2026-11-26';

/** Meta data of the pages that are neither a solution nor an article nor a legal text. */
export function makeStaticPageMeta(site: Site): Readonly<Record<StaticPage, PageMeta>> {
  return {
    home: {
      title: 'AI Business Transformation for Mid-Market Companies',
      description:
        'We handle the non-revenue work so you can focus on revenue: AI services and products for mid-market and private-equity-backed companies. Free assessment.',
      updatedOn: UPDATED_ON,
    },
    insights: {
      title: 'Insights',
      description:
        'Practical reading on AI for owners and CFOs of mid-market companies: strategy, finance, security, technology, and worked examples.',
      updatedOn: UPDATED_ON,
    },
    about: {
      title: 'About Us',
      description:
        'How a family confectionery business that needed less busywork became a consultancy, and the three principles we work by: Impact, Optimism, and Fun.',
      updatedOn: UPDATED_ON,
    },
    contact: {
      title: 'Free Business Transformation Assessment',
      description:
        `Ask ${site.name} for a free assessment: opportunities report, operations audit, ` +
        `technology roadmap, and ROI projections. We answer ${getResponsePromise(site)}.`,
      updatedOn: UPDATED_ON,
    },
    videoTest: {
      title: 'Background test',
      description:
        'A test page for the two large page backgrounds and the still pictures that stand in for them.',
      updatedOn: UPDATED_ON,
      isHidden: true,
    },
    followUp: {
      title: 'Follow-up',
      description: 'Shows an assessment request, and what can be done about it. For the sales team.',
      updatedOn: UPDATED_ON,
      isHidden: true,
    },
    heldRequest: {
      title: 'Held request',
      description: 'Releases a request that is held as possible spam. For the sales team.',
      updatedOn: UPDATED_ON,
      isHidden: true,
    },
    newsletter: {
      title: 'Newsletter',
      description: 'Confirms or ends a subscription to the newsletter. For its subscribers.',
      updatedOn: UPDATED_ON,
      isHidden: true,
    },
    notFound: {
      title: 'Page not found',
      description: 'There is no page at this address. From here you can go on to the home page, our solutions, and the contact page.',
      updatedOn: UPDATED_ON,
      isHidden: true,
    },
  };
}
