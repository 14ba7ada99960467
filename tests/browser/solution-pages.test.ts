import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { solutions } from '#content/solutions';
import type { SolutionPage } from '../../shared/content/solution-schema.ts';
import { pathTo } from '../../shared/paths.ts';
import { findSolutionPage } from '../support/find-solution-page.ts';
import { listOpenItems } from './find-item.ts';
import { serveSite } from './serve-site.ts';

const site = serveSite();
const visit = site.shareTab();
const visitWithoutScripts = site.shareTab({ javaScriptEnabled: false });

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

/** `#333`: dark enough for every printer. */
const INK_ON_PAPER = 'rgb(51, 51, 51)';
/** Pixels. */
const SMALLEST_TEXT = 13;
const SMALLEST_TARGET = 44;
/** How long each page was on a phone, in pixels, before it had a vignette and its lists were rows: it was to lose a third. */
const lengthsBefore = {
  'ai-transformation': 8_562,
  'expense-reduction-ai': 7_755,
  'contract-compliance': 9_137,
  'vendor-management': 9_411,
  'white-label-platform': 8_109,
  'process-automation': 7_743,
  'fractional-caio': 6_492,
  'cross-selling-ai': 7_785,
} as const;

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

/** Runs in the page: of a list's points, whether the icon stands beside the heading; and the smallest text. */
const readRows = (region: Locator) =>
  region.getByRole('listitem').evaluateAll((points) =>
    points.map((point) => {
      const [icon, heading] = [point.querySelector('svg'), point.querySelector('h3')].map((part) =>
        part?.getBoundingClientRect(),
      );
      const sizes = [...point.querySelectorAll('h3, p')].map((text) => parseFloat(getComputedStyle(text).fontSize));

      return {
        isRow: !!icon && !!heading && icon.right < heading.left && icon.top < heading.bottom && heading.top < icon.bottom,
        text: Math.min(...sizes),
      };
    }),
  );

/** How a page shows its vignette: the classes of the section around it, and of what lays it out. */
async function readVignetteLook(slug: string): Promise<string> {
  const html = await (await fetch(site.origin + pathTo.solution(slug))).text();
  const before = html.slice(0, html.indexOf('role="img"'));
  const [, look = ''] = /.*<section class="([^"]+"[^>]*><div class="[^"]+)"/s.exec(before) ?? [];

  return look.replace(/"[^"]*aria-labelledby="[^"]*"/, '');
}

const readTitles = (region: Locator) => region.getByRole('listitem').getByRole('heading').allInnerTexts();

type Row = (typeof rows)[number];

async function checkSections(page: Page, row: Row) {
  const { challenges, pairs, benefits, enterpriseBenefits, platform, mapping, howItWorks, closing } = findSolutionPage(row.slug);
  expect([!pairs, !!challenges]).toEqual([!row.hasPairs, !row.hasPairs]);
  expect([!!platform, !!mapping, !!enterpriseBenefits]).toEqual([row.platform, row.mapping, row.enterprise]);
  const sections = await page.locator('main section').evaluateAll((elements) =>
    elements.map((element) => {
      const labelId = element.getAttribute('aria-labelledby') ?? '';

      return element.getAttribute('aria-label') ?? document.getElementById(labelId)?.textContent;
    }),
  );

  expect(sections, 'sections').toEqual(
    [
      'What clients typically see',
      challenges?.heading,
      pairs?.heading,
      benefits.heading,
      platform?.heading,
      mapping?.heading,
      enterpriseBenefits?.heading,
      row.slug === 'ai-transformation' ? 'What does your busywork cost you?' : undefined,
      'What clients say',
      howItWorks.heading,
      closing.title,
    ].filter((heading) => heading !== undefined),
  );
}

async function checkPoints(page: Page, row: Row) {
  const { challenges, benefits, enterpriseBenefits, platform, mapping, testimonial } = findSolutionPage(row.slug);
  const listed = [challenges, benefits, platform, enterpriseBenefits].filter((section) => section !== undefined);
  for (const { heading, points } of listed) {
    expect(await readTitles(findRegion(page, heading)), heading).toEqual(points.map(({ title }) => title));
  }
  const icons = findRegion(page, benefits.heading).getByRole('listitem').locator('svg');

  expect(await icons.count(), 'icons').toBe(row.enterprise ? 6 : 4);
  expect(enterpriseBenefits?.points.length).toBe(row.enterprise ? 4 : undefined);
  if (row.slug === 'cross-selling-ai') expect(platform?.points).toHaveLength(6);
  if (mapping) {
    const table = findRegion(page, mapping.heading).getByRole('table');
    const readRole = (role: 'columnheader' | 'rowheader' | 'cell') => table.getByRole(role).allInnerTexts();
    expect(await readRole('columnheader')).toEqual(['Today, by hand', 'What takes it over', 'What the team gets back']);
    expect(await readRole('rowheader')).toEqual(mapping.rows.map(({ task }) => task));
    expect(await readRole('cell')).toEqual(mapping.rows.flatMap((each) => [each.takenOverBy, each.givesBack]));
  }
  const author = page.locator('main figcaption span');
  expect(await author.allTextContents(), 'author').toEqual([testimonial?.role, testimonial?.companySize]);
}

async function checkWaysToContact(page: Page, { slug, cta }: Row) {
  const hero = page.locator('main a').first();
  const closing = findRegion(page, findSolutionPage(slug).closing.title);
  const last = closing.getByRole('link', { name: 'Get Your Free Assessment Today', exact: true });

  expect(await hero.innerText(), 'first button').toBe(cta);
  expect(await hero.getAttribute('href'), 'first button').toBe('/contact');
  expect(await last.getAttribute('href'), 'last button').toBe('/contact');
}

async function checkLook(page: Page, { slug, accent, stepsAccent, overlay }: Row) {
  const { benefits, howItWorks, closing } = findSolutionPage(slug);
  const name = solutions.find((solution) => solution.slug === slug)?.name;
  expect(await page.locator('main p').first().innerText(), 'name').toBe(name);
  const overlays = await page.locator('main h1').evaluate((heading) =>
    [...(heading.parentElement?.parentElement?.children ?? [])]
      .map((layer) => getComputedStyle(layer, '::after'))
      .filter(({ content: words }) => words !== 'none')
      .map(({ opacity }) => Number(opacity)),
  );

  expect(await readAccent(findRegion(page, closing.title)), 'green end').toBe('#386A49');
  expect(await readAccent(findRegion(page, benefits.heading)), 'accent').toBe(accent);
  expect(await readAccent(findRegion(page, howItWorks.heading)), 'accent of the steps').toBe(stepsAccent ?? accent);
  expect(overlays, 'overlay').toEqual([overlay]);
}

async function checkPaper(page: Page) {
  await page.emulateMedia({ media: 'print' });
  const folded = await page.locator('main details > :not(summary)').evaluateAll((elements) =>
    elements.map((element) => ({
      isShown: element.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
      colors: [element, ...element.querySelectorAll('*')].map((each) => getComputedStyle(each).color),
    })),
  );
  const surfaces = await page
    .locator('main, main section, main summary')
    .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).backgroundColor));
  const address = await page
    .locator('main a[href="/contact"]')
    .last()
    .evaluate((link) => getComputedStyle(link, '::after').content);
  const roles = await Promise.all(
    (['banner', 'contentinfo'] as const).map((role) => page.getByRole(role, { includeHidden: true }).isVisible()),
  );
  await page.emulateMedia({ media: 'screen' });

  expect(folded.map(({ isShown }) => isShown), 'on paper').toEqual(folded.map(() => true));
  expect(folded.length, 'on paper').toBeGreaterThanOrEqual(4);
  expect(new Set(folded.flatMap(({ colors }) => colors)), 'on paper').toEqual(new Set([INK_ON_PAPER]));
  expect(new Set(surfaces), 'on paper').toEqual(new Set(['rgba(0, 0, 0, 0)']));
  expect(address, 'on paper').toContain('/contact');
  expect(roles, 'on paper').toEqual([false, false]);
}

async function checkPhone(page: Page, slug: Row['slug']) {
  const { benefits, platform, enterpriseBenefits } = findSolutionPage(slug);
  await page.setViewportSize({ width: 390, height: 844 });
  const withIcons = [benefits, platform, enterpriseBenefits].filter((section) => section !== undefined);
  for (const { heading, points } of withIcons) {
    const list = await readRows(findRegion(page, heading));

    expect(list.map(({ isRow }) => isRow), `icons beside headings: ${heading}`).toEqual(points.map(() => true));
    expect(Math.min(...list.map(({ text }) => text)), `text: ${heading}`).toBeGreaterThanOrEqual(SMALLEST_TEXT);
  }
  const targets = await page
    .locator('main summary, main a[href="/contact"]')
    .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().height));

  expect(Math.min(...targets), 'targets').toBeGreaterThanOrEqual(SMALLEST_TARGET);
  // The estimate came later.
  const length = await page.evaluate(
    () => document.documentElement.scrollHeight - (document.getElementById('estimate')?.offsetHeight ?? 0),
  );
  expect(length, 'length').toBeLessThanOrEqual((lengthsBefore[slug] * 2) / 3);
}

/** Four steps: the first is open, a click opens another, and one is always open. */
async function checkSteps(page: Page, { slug, steps: titlesInCommon }: Row) {
  const { howItWorks } = findSolutionPage(slug);
  const steps = findRegion(page, howItWorks.heading);
  const titles = howItWorks.steps.map(({ title }) => title);
  const [first = '', , third = ''] = titles;

  expect(await steps.locator('summary h3').allInnerTexts(), 'steps').toEqual(titlesInCommon ?? titles);
  expect(await listOpenItems(page, steps), 'open at first').toEqual([first]);
  await steps.locator('summary', { hasText: third }).click();
  expect(await listOpenItems(page, steps), 'open after a click').toEqual([third]);
  await steps.locator('summary', { hasText: third }).click();
  expect(await listOpenItems(page, steps), 'open after a second click').toEqual([third]);
}

/** Six pairs: the first is open, and a click opens or closes one. */
async function checkPairs(page: Page, { heading, pairs }: NonNullable<SolutionPage['pairs']>) {
  const region = findRegion(page, heading);
  const titles = pairs.map(({ problem }) => problem.title);
  const [first = '', second = ''] = titles;
  const click = (title: string) => region.locator('summary', { hasText: title }).click();

  expect(await region.locator('summary h3').allInnerTexts(), 'pairs').toEqual(titles);
  expect(titles).toHaveLength(6);
  expect(await listOpenItems(page, region), 'open at first').toEqual([first]);
  await click(first);
  expect(await listOpenItems(page, region), 'open after a click').toEqual([]);
  await click(first);
  expect(await listOpenItems(page, region), 'open after a second click').toEqual([first]);
  await click(second);
  expect(await listOpenItems(page, region), 'open after a click on the second').toEqual([second]);
  const solution = region.getByText(pairs[1]?.solution.title ?? '', { exact: true });
  expect(await solution.isVisible(), 'solution').toBe(true);
}

describe.each(rows)('the page of $slug', (row) => {
  const path = pathTo.solution(row.slug);
  const { pairs, howItWorks } = findSolutionPage(row.slug);

  test('has its sections with all their points, ways to contact and colors, and is whole on paper and short on a phone', async () => {
    const { page } = await visitWithoutScripts(path);
    await checkSections(page, row);
    await checkPoints(page, row);
    await checkWaysToContact(page, row);
    await checkLook(page, row);
    await checkPaper(page);
    await checkPhone(page, row.slug);
  });

  test('has steps of which one is always open, and pairs that open and close', async () => {
    const { page } = await visit(path);
    if (pairs) {
      await checkPairs(page, pairs);
      // The steps below are an accordion of their own.
      expect(await listOpenItems(page, findRegion(page, howItWorks.heading))).toHaveLength(1);
    }
    await checkSteps(page, row);
  });
});

test('the table has all eight solutions', () => {
  expect(rows.map(({ slug }) => slug).sort()).toEqual(solutions.map(({ slug }) => slug).sort());
});

test('no two pages show their vignette in the same place on the same surface', async () => {
  const looks = await Promise.all(rows.map(({ slug }) => readVignetteLook(slug)));

  expect(looks.filter((look) => look === '')).toEqual([]);
  expect(new Set(looks).size).toBe(rows.length);
});

test('pages without steps in common have steps of their own', () => {
  const own = rows.filter(({ steps }) => !steps).map(({ slug }) =>
    findSolutionPage(slug).howItWorks.steps.map(({ title }) => title).join(),
  );

  expect(new Set(own).size).toBe(own.length);
  expect(own).not.toContain(services.join());
});
