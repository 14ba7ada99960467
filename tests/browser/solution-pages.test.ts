import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { solutionPages } from '../../shared/content/solution-pages/solution-pages.ts';
import { solutions } from '../../shared/content/solutions.ts';
import { pathTo } from '../../shared/paths.ts';
import { listOpenItems } from './find-item.ts';
import { serveSite } from './serve-site.ts';

const site = serveSite();

const services = ['Discovery', 'Strategy', 'Pilot', 'Scale'];
const standard = {
  cta: 'Get Your Free Assessment',
  overlay: 0.5,
  platform: false,
  mapping: false,
  enterprise: false,
  steps: undefined as string[] | undefined,
  stepsAccent: undefined as string | undefined,
};

/** What was specified and decided for each page. */
const rows = [
  {
    ...standard,
    slug: 'ai-transformation',
    accent: '#386A49',
    hasPairs: false,
    mapping: true,
    steps: services,
  },
  { ...standard, slug: 'expense-reduction-ai', accent: '#CA8A04', hasPairs: true, platform: true },
  {
    ...standard,
    slug: 'contract-compliance',
    accent: '#2563EB',
    hasPairs: true,
    platform: true,
    enterprise: true,
  },
  {
    ...standard,
    slug: 'vendor-management',
    accent: '#0891b2',
    hasPairs: true,
    platform: true,
    enterprise: true,
  },
  { ...standard, slug: 'white-label-platform', accent: '#DB2777', hasPairs: false, enterprise: true },
  {
    ...standard,
    slug: 'process-automation',
    accent: '#7C3AED',
    hasPairs: true,
    mapping: true,
    cta: 'Get Your Process Assessment',
    steps: services,
  },
  {
    ...standard,
    slug: 'fractional-caio',
    accent: '#EA580C',
    hasPairs: false,
    cta: 'Get Your AI Assessment',
    overlay: 0.7,
    steps: services,
  },
  {
    ...standard,
    slug: 'cross-selling-ai',
    accent: '#0891b2',
    hasPairs: true,
    platform: true,
    cta: 'Get Your Revenue Assessment',
    overlay: 0.65,
    stepsAccent: '#DC2626',
  },
] as const;

const findRegion = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const readAccent = (part: Locator) =>
  part.evaluate((element) => getComputedStyle(element).getPropertyValue('--accent').trim());
const readTitles = (region: Locator) => region.getByRole('listitem').getByRole('heading').allInnerTexts();

describe.each(rows)('the page of $slug', (row) => {
  const { slug } = row;
  const content = solutionPages[slug];
  const { challenges, pairs, benefits, enterpriseBenefits, platform, mapping } = content;

  test('has the sections it should have, in this order, with all their points', async () => {
    expect([!pairs, !!challenges]).toEqual([!row.hasPairs, !row.hasPairs]);
    expect([!!platform, !!mapping, !!enterpriseBenefits]).toEqual([
      row.platform,
      row.mapping,
      row.enterprise,
    ]);
    const { page } = await site.visit(pathTo.solution(slug), { javaScriptEnabled: false });
    const sections = await page.locator('main section').evaluateAll((elements) =>
      elements.map((element) => {
        const labelId = element.getAttribute('aria-labelledby') ?? '';

        return element.getAttribute('aria-label') ?? document.getElementById(labelId)?.textContent;
      }),
    );

    expect(sections).toEqual(
      [
        'What clients typically see',
        challenges?.heading,
        pairs?.heading,
        benefits.heading,
        platform?.heading,
        mapping?.heading,
        enterpriseBenefits?.heading,
        'What clients say',
        content.howItWorks.heading,
        content.closing.title,
      ].filter((heading) => heading !== undefined),
    );

    const listed = [challenges, benefits, platform, enterpriseBenefits].filter(
      (section) => section !== undefined,
    );
    for (const { heading, points } of listed) {
      expect(await readTitles(findRegion(page, heading))).toEqual(points.map(({ title }) => title));
    }
    const icons = findRegion(page, benefits.heading).getByRole('listitem').locator('svg');

    expect(await icons.count()).toBe(row.enterprise ? 6 : 4);
    expect(enterpriseBenefits?.points.length).toBe(row.enterprise ? 4 : undefined);
    if (slug === 'cross-selling-ai') expect(platform?.points).toHaveLength(6);
    if (mapping) {
      const tasks = findRegion(page, mapping.heading).getByRole('rowheader');
      expect(await tasks.allInnerTexts()).toEqual(mapping.rows.map(({ task }) => task));
    }
    const author = page.locator('main figcaption span');
    const { role, companySize } = content.testimonial;
    expect(await author.allTextContents()).toEqual([role, companySize]);
  });

  test('leads to the contact page from its own button and from the green end, and wears its colors', async () => {
    const { page } = await site.visit(pathTo.solution(slug), { javaScriptEnabled: false });
    const hero = page.locator('main a').first();
    const closing = findRegion(page, content.closing.title);
    const last = closing.getByRole('link', { name: 'Get Your Free Assessment Today', exact: true });

    expect(await hero.innerText()).toBe(row.cta);
    expect(await hero.getAttribute('href')).toBe('/contact');
    expect(await last.getAttribute('href')).toBe('/contact');
    expect(await readAccent(closing)).toBe('#386A49');
    const name = solutions.find((solution) => solution.slug === slug)?.name;
    expect(await page.locator('main p').first().innerText()).toBe(name);

    const steps = findRegion(page, content.howItWorks.heading);
    const overlays = await page.locator('main h1').evaluate((heading) =>
      [...(heading.parentElement?.parentElement?.children ?? [])]
        .map((layer) => getComputedStyle(layer, '::after'))
        .filter(({ content: words }) => words !== 'none')
        .map(({ opacity }) => Number(opacity)),
    );

    expect(await readAccent(findRegion(page, benefits.heading))).toBe(row.accent);
    expect(await readAccent(steps)).toBe(row.stepsAccent ?? row.accent);
    expect(overlays).toEqual([row.overlay]);
  });

  test('has four steps: the first is open, a click opens another, and one is always open', async () => {
    const { page } = await site.visit(pathTo.solution(slug));
    const steps = findRegion(page, content.howItWorks.heading);
    const titles = content.howItWorks.steps.map(({ title }) => title);
    const [first = '', , third = ''] = titles;

    expect(await steps.locator('summary h3').allInnerTexts()).toEqual(row.steps ?? titles);
    expect(await listOpenItems(page, steps)).toEqual([first]);
    await steps.locator('summary', { hasText: third }).click();
    expect(await listOpenItems(page, steps)).toEqual([third]);
    await steps.locator('summary', { hasText: third }).click();
    expect(await listOpenItems(page, steps)).toEqual([third]);
  });

  if (pairs) {
    test('has six pairs: the first is open, and a click opens or closes one', async () => {
      const { page } = await site.visit(pathTo.solution(slug));
      const region = findRegion(page, pairs.heading);
      const titles = pairs.pairs.map(({ problem }) => problem.title);
      const [first = '', second = ''] = titles;
      const click = (title: string) => region.locator('summary', { hasText: title }).click();

      expect(await region.locator('summary h3').allInnerTexts()).toEqual(titles);
      expect(titles).toHaveLength(6);
      expect(await listOpenItems(page, region)).toEqual([first]);
      await click(first);
      expect(await listOpenItems(page, region)).toEqual([]);
      await click(first);
      expect(await listOpenItems(page, region)).toEqual([first]);
      await click(second);
      expect(await listOpenItems(page, region)).toEqual([second]);
      const solution = region.getByText(pairs.pairs[1]?.solution.title ?? '', { exact: true });
      expect(await solution.isVisible()).toBe(true);
      // The steps below are an accordion of their own.
      const steps = findRegion(page, content.howItWorks.heading);
      expect(await listOpenItems(page, steps)).toHaveLength(1);
    });
  }
});

test('the table has all eight solutions', () => {
  expect(rows.map(({ slug }) => slug).sort()).toEqual(solutions.map(({ slug }) => slug).sort());
});

test('pages without steps in common have steps of their own', () => {
  const own = rows.filter(({ steps }) => !steps).map(({ slug }) =>
    solutionPages[slug].howItWorks.steps.map(({ title }) => title).join(),
  );

  expect(new Set(own).size).toBe(own.length);
  expect(own).not.toContain(services.join());
});
