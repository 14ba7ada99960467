import { siteWords } from '#content/site-words';
import { solutions } from '#content/solutions';
import { matchPath } from 'react-router-dom';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import type { Solution } from '../../shared/content/solution-schema.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { parseMailAddress } from '../../shared/mailbox.ts';
import { iconPaths, pathTo, routePatterns } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';

interface StructuredDataInput {
  readonly site: Site;
  readonly meta: PageMeta;
  /** Undefined for a page that search engines must not index. */
  readonly canonicalPath: string | undefined;
  /** The picture for link previews, if any. */
  readonly picturePath?: string | undefined;
}

const getOrganizationId = (site: Site) => `${site.publicUrl}/#organization`;

const getBreadcrumbsId = (site: Site, path: string) => `${site.publicUrl}${path}#breadcrumbs`;

function findSolution(path: string): Solution | undefined {
  const slug = matchPath(routePatterns.solution, path)?.params.slug;

  return solutions.find((solution) => solution.slug === slug);
}

function describeOrganization(site: Site): object {
  return {
    '@type': 'Organization',
    '@id': getOrganizationId(site),
    name: site.name,
    legalName: site.legalEntity,
    url: `${site.publicUrl}/`,
    logo: site.publicUrl + iconPaths.png[512],
    email: parseMailAddress(site.legalEmail),
    contactPoint: {
      '@type': 'ContactPoint',
      contactType: 'sales',
      url: site.publicUrl + pathTo.contact(),
    },
  };
}

function describeWebSite(site: Site): object {
  return {
    '@type': 'WebSite',
    '@id': `${site.publicUrl}/#website`,
    name: site.name,
    url: `${site.publicUrl}/`,
    inLanguage: siteWords.lang,
    publisher: { '@id': getOrganizationId(site) },
  };
}

function describeService(site: Site, path: string, { name }: Solution, meta: PageMeta): object {
  return {
    '@type': 'Service',
    '@id': `${site.publicUrl}${path}#service`,
    name,
    serviceType: name,
    description: meta.description,
    url: site.publicUrl + path,
    provider: { '@id': getOrganizationId(site) },
  };
}

function describeArticle(input: StructuredDataInput, path: string): object | undefined {
  const { site, meta, picturePath } = input;
  if (!meta.article) return undefined;
  const organization = { '@id': getOrganizationId(site) };
  const url = site.publicUrl + path;

  return {
    '@type': 'Article',
    '@id': `${url}#article`,
    headline: meta.title,
    description: meta.description,
    datePublished: meta.article.publishedOn,
    dateModified: meta.updatedOn,
    author: {
      '@type': 'Organization',
      name: meta.article.author,
      parentOrganization: organization,
    },
    publisher: organization,
    articleSection: meta.article.section,
    ...(picturePath === undefined ? {} : { image: site.publicUrl + picturePath }),
    mainEntityOfPage: {
      '@type': 'WebPage',
      '@id': url,
      breadcrumb: { '@id': getBreadcrumbsId(site, path) },
    },
    inLanguage: siteWords.lang,
    isAccessibleForFree: true,
  };
}

/** Returns a page's breadcrumbs below home. Each one is an existing page. */
function listCrumbs({ site, meta }: StructuredDataInput, path: string) {
  const isArticle = matchPath(routePatterns.article, path) !== null;

  return [
    { name: 'Home', path: routePatterns.home },
    ...(isArticle
      ? [{ name: makeStaticPageMeta(site).insights.title, path: routePatterns.insights }]
      : []),
    { name: findSolution(path)?.name ?? meta.title, path },
  ];
}

function describeBreadcrumbs(input: StructuredDataInput, path: string): object {
  return {
    '@type': 'BreadcrumbList',
    '@id': getBreadcrumbsId(input.site, path),
    itemListElement: listCrumbs(input, path).map((crumb, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name: crumb.name,
      item: input.site.publicUrl + crumb.path,
    })),
  };
}

/**
 * Returns a page's JSON-LD as a graph of schema.org nodes: organization and website on every page, plus service,
 * article and breadcrumbs where they apply. All facts come from settings and content.
 */
export function makeStructuredData(input: StructuredDataInput) {
  const { site, meta, canonicalPath } = input;
  const solution = canonicalPath === undefined ? undefined : findSolution(canonicalPath);
  const article = canonicalPath === undefined ? undefined : describeArticle(input, canonicalPath);
  const isBelowHome = canonicalPath !== undefined && canonicalPath !== routePatterns.home;

  return {
    '@context': 'https://schema.org',
    '@graph': [
      describeOrganization(site),
      describeWebSite(site),
      ...(solution && canonicalPath !== undefined
        ? [describeService(site, canonicalPath, solution, meta)]
        : []),
      ...(article ? [article] : []),
      ...(isBelowHome ? [describeBreadcrumbs(input, canonicalPath)] : []),
    ],
  };
}

/** Returns JSON for `<script type="application/ld+json">`. The JSON can't close the element or open a comment. */
export function serializeStructuredData(data: object): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}
