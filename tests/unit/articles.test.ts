import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { join } from 'node:path';
import { contentFolder } from '../../scripts/content/load-content.ts';
import { articles, pagePaths } from '../support/site-content.ts';

const WORDS_A_MINUTE = 220;
const TOLERANCE = 0.15;

const texts = await Promise.all(
  articles.map(async (article) => {
    const file = await readFile(join(contentFolder, 'articles', `${article.slug}.mdx`), 'utf8');

    return { ...article, text: file.replace(/^---\n.*?\n---\n/s, '') };
  }),
);

/** The words a reader reads: titles of blocks and labels of figures too, but no tags and addresses. */
function countWords(text: string): number {
  const read = text
    .replace(/\{\/\*.*?\*\/\}/gs, ' ')
    .replace(/<[A-Z][^>]*>/g, (tag) => [...tag.matchAll(/["']([^"']*)["']/g)].map(([, word]) => word).join(' '))
    .replace(/<\/[A-Z]\w*>/g, ' ')
    .replace(/\]\([^)]*\)/g, ' ');

  // A word has a letter or a digit: dashes, signs of tables and of lists are none.
  return read.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

const listHeadings = (text: string) =>
  [...text.matchAll(/^(#+) (.+)$/gm)].map(([, marks = '', title]) => ({ level: marks.length, title }));

test('the listing has three featured articles, as the specification says', () => {
  expect(articles.filter(({ isFeatured }) => isFeatured)).toHaveLength(3);
});

test('the newest article comes first', () => {
  const dates = articles.map(({ date }) => date);

  expect(dates).toEqual(dates.toSorted().toReversed());
});

test('no two articles have the same title, excerpt or picture', () => {
  for (const values of [
    articles.map(({ title }) => title),
    articles.map(({ excerpt }) => excerpt),
    articles.map(({ picture }) => picture),
  ]) {
    expect(new Set(values).size).toBe(articles.length);
  }
});

describe.each(texts)('$slug', ({ slug, text, date, readMinutes }) => {
  test('has a slug of lower-case words, and was published in the past', () => {
    expect(slug).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(Date.parse(date)).toBeLessThan(Date.now());
  });

  test('is as long as its reading time says', () => {
    const share = countWords(text) / (WORDS_A_MINUTE * readMinutes);

    expect(share).toBeGreaterThan(1 - TOLERANCE);
    expect(share).toBeLessThan(1 + TOLERANCE);
  });

  test('has no heading twice, none without text below it, and leaves no level out', () => {
    const headings = listHeadings(text);
    const titles = headings.filter(({ level }) => level === 2).map(({ title }) => title);

    expect(titles.length).toBeGreaterThan(3);
    expect(new Set(titles).size).toBe(titles.length);
    expect(headings.filter(({ level }) => level < 2 || level > 3)).toEqual([]);
    expect(headings[0]?.level).toBe(2);
    // A section may begin with its first part; the part has to say something.
    expect(text).not.toMatch(/^### .+\s*(?:^#|$(?![\s\S]))/m);
    expect(text).not.toMatch(/^## .+\s*(?:^## |$(?![\s\S]))/m);
  });

  test('has a checklist, and a table or an example', () => {
    expect(text).toMatch(/^<Checklist title="[^"]+">$/m);
    expect(text).toMatch(/^(?:<Example title="[^"]+">|\| --- )/m);
  });

  test('links only to pages the site has', () => {
    const addresses = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, address]) => address);

    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.filter((address) => !pagePaths.includes(String(address)))).toEqual([]);
  });
});

/** What the specification demands of the articles it describes (sections 2 and 9). */
const specified: Readonly<Record<string, readonly RegExp[]>> = {
  'ai-trends-2024': [
    ...['Democratization of AI', 'Autonomous processes', 'AI as a moat', 'Security-first AI'],
    ...['Industry-specific AI', '2025 predictions', 'A 90-day readiness plan'],
  ].map((heading) => new RegExp(`^## ${heading}`, 'm')),
  'manufacturing-case-study': [
    ...['Executive summary', 'Company background', 'The challenge', 'The solution', 'Results', 'Conclusion'],
  ]
    .map((heading) => new RegExp(`^## ${heading}$`, 'm'))
    .concat(
      ['Predictive maintenance', 'Quality control AI', 'Supply chain intelligence', 'Assessment: 2 weeks'].map(
        (heading) => new RegExp(`^### ${heading}$`, 'm'),
      ),
      ['Pilot: 6 weeks', 'Full deployment: 10 weeks', 'Financial impact', 'Operational improvements'].map(
        (heading) => new RegExp(`^### ${heading}$`, 'm'),
      ),
      [/^### Success factors$/m, /^### Lessons learned$/m, /35%/, /90 days/, /18% downtime/, /25% above average/],
      [/below 70%/, /downtime was substantially reduced/, /<Quote by="[^"]*\(illustrative\)">/],
    ),
  'healthcare-ai-compliance': [
    ...[/^## What drives market growth$/m, /^## Adoption trends/m, /^## Four application areas$/m],
    ...[/^## HIPAA considerations$/m, /^## FDA considerations$/m, /^## Four best practices$/m],
    ...[/^## Two illustrative success stories$/m, /^## Future trends/m, /up to 40%/],
  ],
  'ai-transformation-readiness': [
    ...[1, 2, 3, 4, 5].map((sign) => new RegExp(`^## Sign ${sign}: `, 'm')),
    ...[/3–4 indicators/, /fewer than three/i, /build foundations first/],
  ],
  'ai-roi-measurement': [
    ...[/^## Four kinds of value$/m, /^## Metrics/m, /^## A worked example/m, /^## Challenges/m, /^## Best practices/m],
    ...[/20–30%/, /6–18 months/, /30-day/, /90-day/, /Annual/, /90-day ROI target/],
  ],
  'intelligent-expense-management-economics': [
    ...[/Assessment, 2–3 weeks/, /Implementation, 4–6 weeks/, /Go-live, 2–3 weeks/],
  ],
};

/** Facts that the specification gives of an article. */
const specifiedFacts = [
  { slug: 'ai-trends-2024', category: 'AI Transformation', readMinutes: 8 },
  { slug: 'manufacturing-case-study', label: 'Case Study', readMinutes: 12 },
  { slug: 'healthcare-ai-compliance', category: 'Healthcare', readMinutes: 10 },
  { slug: 'ai-transformation-readiness', category: 'Strategy', readMinutes: 6, date: '2023-12-28' },
  { slug: 'ai-roi-measurement', category: 'Business Intelligence', readMinutes: 9, date: '2023-12-20' },
];

test.each(specifiedFacts)('$slug has the facts that the specification gives', (facts) => {
  expect(articles.find(({ slug }) => slug === facts.slug)).toMatchObject(facts);
});

/** Addresses that the specification and the decisions name; more may join them. */
const published = [
  ...Object.keys(specified),
  'legacy-system-modernization-guide',
  'data-driven-culture-transformation',
  'ai-security-considerations',
];

test('no published address is gone', () => {
  expect(articles.map(({ slug }) => slug)).toEqual(expect.arrayContaining(published));
});

test.each(Object.entries(specified))('%s has what the specification demands of it', (slug, parts) => {
  const text = texts.find((article) => article.slug === slug)?.text ?? '';

  expect(parts.filter((part) => !part.test(text))).toEqual([]);
});
