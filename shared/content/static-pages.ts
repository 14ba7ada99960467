import { pageMetas } from '#content/page-metas';
import { fillSitePlaceholders, type Site } from '../site.ts';
import type { PageMeta } from './page-meta.ts';

const UPDATED_ON = '2026-11-26';

const fillMetaPlaceholders = ({ title, description, updatedOn }: PageMeta, site: Site): PageMeta => ({
  title: fillSitePlaceholders(title, site),
  description: fillSitePlaceholders(description, site),
  updatedOn,
});

/** Returns the metadata for the error page and all pages that are not a solution, an article or a legal text. */
export function makeStaticPageMeta(site: Site) {
  return {
    home: fillMetaPlaceholders(pageMetas.home, site),
    insights: fillMetaPlaceholders(pageMetas.insights, site),
    about: fillMetaPlaceholders(pageMetas.about, site),
    contact: fillMetaPlaceholders(pageMetas.contact, site),
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
  } satisfies Readonly<Record<string, PageMeta>>;
}
