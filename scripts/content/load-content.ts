import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import {
  aboutSchema,
  articleSchema,
  contactSchema,
  homeSchema,
  industriesSchema,
  insightsSchema,
  legalPageSchema,
  mailsSchema,
  siteSchema,
  type Content,
} from '../../shared/content/content-schema.ts';
import { readPageMeta } from '../../shared/content/page-meta.ts';
import { oneOf, slug as slugSchema, text } from '../../shared/content/schema-fields.ts';
import { makeSolutionSchema } from '../../shared/content/solution-schema.ts';
import { pathTo } from '../../shared/paths.ts';
import { formatDay } from '../../shared/time.ts';
import { projectRoot } from '../processes.ts';
import { checkPictures } from './check-pictures.ts';
import { checkTexts } from './check-texts.ts';
import { readBrand } from './read-brand.ts';
import { makeRedirectsSchema } from './redirects.ts';
import { findSitePaths, listAnchors, listSlugs } from './site-paths.ts';
import { ContentError, readYamlFile, type Mistake, type Samples } from './yaml-file.ts';

/** The sample brand's content. */
const sampleFolder = join(projectRoot, 'content');

/** The owner's folder. */
export const contentFolder = process.env.CONTENT_DIR ? resolve(process.env.CONTENT_DIR) : sampleFolder;

/** Returns functions that read a folder's files, and the mistakes they have found. */
function createReader(folder: string) {
  const mistakes: Mistake[] = [];
  const samples: Samples = {};
  const read = <Schema extends v.GenericSchema>(file: string, schema: Schema) =>
    readYamlFile(folder, file, schema, mistakes, samples);

  return {
    folder,
    mistakes,
    samples,
    read,
    /** Returns the valid files of a subfolder, with their names as slugs. @param required slugs of files that must exist */
    async readAll<Schema extends v.GenericSchema<unknown, object>>(
      name: string,
      extension: string,
      schema: Schema,
      required: readonly string[] = [],
    ) {
      const slugs = new Set([...required, ...listSlugs(join(folder, name), extension)]);
      const pages = await Promise.all(
        [...slugs].map(async (slug) => {
          const file = `${name}/${slug}${extension}`;
          if (!v.is(slugSchema, slug)) mistakes.push({ file, message: 'must have a name of lower-case letters, digits and hyphens' });
          const page = await read(file, schema);

          return page ? [{ slug, ...page }] : [];
        }),
      );

      return pages.flat();
    },
    /** Reports a missing picture. @param name the picture's name as written in `file` */
    async checkPicture(file: string, picture: string, name = picture) {
      if (existsSync(join(folder, 'pictures', picture))) return;
      const lines = (await readFile(join(folder, file), 'utf8')).split('\n');
      const index = lines.findIndex((line) => /(?:picture|logo):/i.test(line) && line.includes(name));
      mistakes.push({ file, line: index + 1, message: `there is no picture ${picture} in content/pictures` });
    },
  };
}

type Reader = ReturnType<typeof createReader>;

async function readSolutions(reader: Reader, accent: v.GenericSchema<unknown, string>) {
  const solutions = await reader.readAll('solutions', '.yaml', makeSolutionSchema(accent));
  for (const { slug, picture, cardPicture } of solutions) {
    for (const name of [picture, cardPicture]) await reader.checkPicture(`solutions/${slug}.yaml`, name);
  }

  if (listSlugs(join(reader.folder, 'solutions'), '.yaml').length === 0) {
    reader.mistakes.push({ file: 'solutions', message: 'needs at least one file' });
  }

  return solutions.sort((one, other) => one.order - other.order);
}

/** Returns today's date in the site's time zone. Articles with a later date are hidden. */
export const getToday = () => formatDay(Date.now(), process.env.TIME_ZONE || 'UTC');

async function readArticles(reader: Reader) {
  const all = await reader.readAll('articles', '.mdx', articleSchema);
  for (const { slug, picture } of all) {
    await reader.checkPicture(`articles/${slug}.mdx`, `articles/${picture}.jpg`, picture);
  }

  const today = getToday();
  const hidden = all.filter(({ draft, date }) => draft || date > today);

  return {
    articles: all.filter((article) => !hidden.includes(article)).sort((one, other) => other.date.localeCompare(one.date)),
    hiddenSlugs: hidden.map(({ slug }) => slug),
    nextArticleOn: hidden.flatMap(({ draft, date }) => (draft ? [] : [date])).sort()[0],
  };
}

/** Files that screens refer to by name. */
const FIXED_FILES = [
  ...['home.jpg', 'home-portrait.jpg', 'about.jpg', 'about-portrait.jpg'].map((name) => `pictures/hero-${name}`),
  ...['home.mp4', 'home.webm', 'about.mp4', 'about.webm'].map((name) => `videos/hero-${name}`),
  ...['pictures/contact-side.jpg', 'pictures/not-found.jpg', 'pictures/og-base.png'],
];

const REQUIRED_LEGAL_PAGES = ['privacy-policy', 'terms-of-service', 'accessibility'];

async function readLegalPages(reader: Reader) {
  const { folder, mistakes } = reader;
  const known = [...REQUIRED_LEGAL_PAGES, 'imprint'];
  for (const slug of listSlugs(join(folder, 'legal'), '.mdx').filter((name) => !known.includes(name))) {
    mistakes.push({ file: `legal/${slug}.mdx`, message: `must be called ${known.join(' or ')} to be shown` });
  }

  return reader.readAll('legal', '.mdx', legalPageSchema, REQUIRED_LEGAL_PAGES);
}

/** Reads and checks the owner's folder. @throws ContentError that lists all mistakes */
export async function loadContent(folder = contentFolder): Promise<Content> {
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder} (CONTENT_DIR).`);
  const reader = createReader(folder);
  const { read, mistakes, samples } = reader;
  const site = await read('site.yaml', siteSchema);
  const home = await read('pages/home.yaml', homeSchema);
  const about = await read('pages/about.yaml', aboutSchema);
  const contact = await read('pages/contact.yaml', contactSchema);
  const insights = await read('pages/insights.yaml', insightsSchema);
  const mails = await read('mails.yaml', mailsSchema);
  const industries = await read('industries.yaml', industriesSchema);
  const brand = site && readBrand(folder, site, mistakes);
  // If site.yaml is invalid, the color schemes' names are unknown.
  const solutions = await readSolutions(reader, brand ? oneOf(Object.keys(brand.accents)) : text);
  const { hiddenSlugs, ...articles } = await readArticles(reader);
  const legalPages = await readLegalPages(reader);
  const missing = FIXED_FILES.filter((file) => !existsSync(join(folder, file)));
  mistakes.push(...missing.map((file) => ({ file, message: 'is missing' })));
  const pictures = site ? [site.logo, ...Object.values(site.promos).map(({ picture }) => picture)] : [];
  for (const picture of pictures) await reader.checkPicture('site.yaml', picture);
  const paths = findSitePaths(folder, hiddenSlugs, mistakes);
  const redirects = existsSync(join(folder, 'redirects.yaml')) ? await read('redirects.yaml', makeRedirectsSchema(paths)) : {};
  const anchors = listAnchors([
    ...solutions.map(({ slug, hasEstimate }) => ({ path: pathTo.solution(slug), hasEstimate })),
    ...articles.articles.map(({ slug, hasEstimate = false }) => ({ path: pathTo.article(slug), hasEstimate })),
  ]);
  mistakes.push(...(await checkTexts(folder, { exists: (path) => paths.exists(path) || path in (redirects ?? {}), anchors })));
  mistakes.push(...(await checkPictures(folder)));
  if (!site || !brand || !home || !about || !contact || !insights || !mails || !industries || mistakes.length > 0) throw new ContentError(mistakes);

  const { logo: _logo, colors: _colors, ...siteWords } = site;

  return {
    brand,
    siteWords,
    homePage: home,
    aboutPage: about,
    contactPage: contact,
    insightsPage: insights,
    mails,
    pageMetas: { home: readPageMeta(home), about: readPageMeta(about), contact: readPageMeta(contact), insights: readPageMeta(insights) },
    industries: industries.map(({ challenges: _challenges, ...industry }) => industry),
    industryChallenges: Object.fromEntries(industries.map(({ value, challenges }) => [value, challenges])),
    solutions: solutions.map(({ slug, name, group, menuLine, icon }) => ({ slug, name, group, menuLine, icon })),
    solutionPages: Object.fromEntries(
      solutions.map(({ slug, order: _order, group: _group, menuLine: _line, icon: _icon, ...page }) => [slug, page]),
    ),
    ...articles,
    legalPages,
    // Sorted, because files are read concurrently and builds of the same content must be identical.
    samples: Object.fromEntries(Object.entries(samples).sort()),
    hasImprint: legalPages.some(({ slug }) => slug === 'imprint'),
    redirects: redirects ?? {},
  };
}

/** Returns the content that `writeContent` wrote into a build's folder. */
export const readContent = async (folder: string): Promise<Content> =>
  JSON.parse(await readFile(join(folder, 'content.json'), 'utf8')) as Content;

/** Checks the owner's content and writes it into a build's folder, where programs read it as `#content/…`. @throws ContentError */
export async function writeContent(folder: string): Promise<void> {
  const content = await loadContent();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'content.json'), JSON.stringify(content));
}
