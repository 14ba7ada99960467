import { expect, test } from 'vitest';
import type { Site } from '../../shared/site.ts';
import { makeStructuredData, serializeStructuredData } from './structured-data.ts';

const site: Site = {
  name: 'Example </script><!-- Co',
  legalEntity: 'Example Holding',
  legalEmail: 'Legal <legal@example.com>',
  publicUrl: 'https://www.example.com',
};
const meta = { title: 'The page', description: 'What it says.', updatedOn: '2026-11-21' };

type Node = Record<string, unknown> & { readonly '@type': string };

const listNodes = (canonicalPath: string | undefined) =>
  makeStructuredData({ site, meta, canonicalPath })['@graph'] as readonly Node[];
const find = (nodes: readonly Node[], type: string) => nodes.find((node) => node['@type'] === type);
const listTypes = (path: string | undefined) => listNodes(path).map((node) => node['@type']);
const listCrumbs = (path: string) => {
  const list = find(listNodes(path), 'BreadcrumbList')?.['itemListElement'];

  return (list as { position: number; name: string; item: string }[]).map(
    ({ position, name, item }) => [position, name, item],
  );
};

test('every page describes the organization and the site, using only known facts', () => {
  for (const path of ['/', undefined]) expect(listTypes(path)).toEqual(['Organization', 'WebSite']);
  expect(find(listNodes('/'), 'Organization')).toEqual({
    '@type': 'Organization',
    '@id': 'https://www.example.com/#organization',
    name: site.name,
    legalName: 'Example Holding',
    url: 'https://www.example.com/',
    logo: 'https://www.example.com/icon-512.png',
    email: 'legal@example.com',
    contactPoint: {
      '@type': 'ContactPoint',
      contactType: 'sales',
      url: 'https://www.example.com/contact',
    },
  });
});

test('a solution is a service of the organization, one level below home in the breadcrumbs', () => {
  const nodes = listNodes('/solutions/fractional-caio');

  expect(find(nodes, 'Service')).toMatchObject({
    name: 'Fractional CAIO Services',
    description: 'What it says.',
    url: 'https://www.example.com/solutions/fractional-caio',
    provider: { '@id': find(nodes, 'Organization')?.['@id'] },
  });
  expect(listCrumbs('/solutions/fractional-caio')).toEqual([
    [1, 'Home', 'https://www.example.com/'],
    [2, 'Fractional CAIO Services', 'https://www.example.com/solutions/fractional-caio'],
  ]);
});

test('an article’s breadcrumbs include the insights page, and other pages have only home', () => {
  expect(listCrumbs('/insights/ai-trends-2024')).toEqual([
    [1, 'Home', 'https://www.example.com/'],
    [2, 'Insights', 'https://www.example.com/insights'],
    [3, 'The page', 'https://www.example.com/insights/ai-trends-2024'],
  ]);
  expect(listCrumbs('/about')).toEqual([
    [1, 'Home', 'https://www.example.com/'],
    [2, 'The page', 'https://www.example.com/about'],
  ]);
  expect(listTypes('/insights/ai-trends-2024')).not.toContain('Service');
});

test('an article lists its dates, team, publisher and section', () => {
  const path = '/insights/ai-trends-2024';
  const { '@graph': graph } = makeStructuredData({
    site,
    meta: {
      ...meta,
      article: { publishedOn: '2024-01-15', author: 'Editorial team', section: 'Strategy' },
    },
    canonicalPath: path,
    picturePath: '/assets/sharing.jpg',
  });
  const nodes = graph as readonly Node[];
  const organization = { '@id': find(nodes, 'Organization')?.['@id'] };

  expect(find(nodes, 'Article')).toMatchObject({
    headline: 'The page',
    description: 'What it says.',
    datePublished: '2024-01-15',
    dateModified: '2026-11-21',
    author: { name: 'Editorial team', parentOrganization: organization },
    publisher: organization,
    articleSection: 'Strategy',
    image: 'https://www.example.com/assets/sharing.jpg',
    mainEntityOfPage: { '@id': `https://www.example.com${path}` },
  });
  expect(listTypes('/about')).not.toContain('Article');
});

test('text from settings can’t close the script element', () => {
  const data = makeStructuredData({ site, meta, canonicalPath: '/about' });
  const text = serializeStructuredData(data);

  expect(text).not.toContain('<');
  expect(JSON.parse(text)).toEqual(data);
});
