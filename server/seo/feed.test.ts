import { expect, test } from 'vitest';
import type { Page } from '../../shared/node/content/list-pages.ts';
import type { Site } from '../../shared/site.ts';
import { writeFeed } from './seo-routes.ts';

const site: Site = {
  name: 'A & B <C>',
  legalEntity: 'A & B Holding',
  legalEmail: 'legal@example.com',
  publicUrl: 'https://www.example.com',
};

const makeArticle = (slug: string, publishedOn: string, updatedOn = publishedOn): Page => ({
  path: `/insights/${slug}`,
  kind: 'article',
  meta: {
    title: `Profit & "loss" in <${slug}>`,
    description: 'What it says.',
    updatedOn,
    article: { publishedOn, author: 'R&D team', section: 'Q & A' },
  },
});

const other: Page = {
  path: '/about',
  kind: 'page',
  meta: { title: 'About', description: 'Who we are.', updatedOn: '2026-11-21' },
};

test('the feed’s update time is that of its most recently changed article', () => {
  const pages = [
    makeArticle('newer', '2024-01-15'),
    makeArticle('older', '2023-12-01', '2024-02-03'),
    other,
  ];
  const feed = writeFeed(site, pages);

  expect(feed.match(/<updated>[^<]*</g)).toEqual([
    '<updated>2024-02-03T00:00:00Z<',
    '<updated>2024-01-15T00:00:00Z<',
    '<updated>2024-02-03T00:00:00Z<',
  ]);
  expect(feed).not.toContain('/about');
});

test('text is escaped in elements and attributes', () => {
  const feed = writeFeed(site, [makeArticle('a', '2024-01-15')]);

  expect(feed).toContain('<title>Insights | A &amp; B &lt;C&gt;</title>');
  expect(feed).toContain('<title>Profit &amp; &quot;loss&quot; in &lt;a&gt;</title>');
  expect(feed).toContain('<author><name>R&amp;D team</name></author>');
  expect(feed).toContain('<category term="Q &amp; A"/>');
});

test('the feed has at most the 50 newest articles', () => {
  const pages = Array.from({ length: 60 }, (_, index) => makeArticle(`number-${index}.`, '2024-01-15'));
  const feed = writeFeed(site, pages);

  expect(feed.match(/<entry>/g)).toHaveLength(50);
  expect(feed).toContain('/insights/number-49.');
  expect(feed).not.toContain('/insights/number-50.');
});
