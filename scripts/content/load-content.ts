import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type * as v from 'valibot';
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
import { oneOf, text } from '../../shared/content/schema-fields.ts';
import { makeSolutionSchema } from '../../shared/content/solution-schema.ts';
import { projectRoot } from '../processes.ts';
import { readBrand } from './read-brand.ts';
import { ContentError, readYamlFile, type Mistake, type Samples } from './yaml-file.ts';

/** The sample brand, which the site shows until its owner writes their own. */
export const sampleFolder = join(projectRoot, 'content');

/** The owner's folder. */
export const contentFolder = process.env.CONTENT_DIR ? resolve(process.env.CONTENT_DIR) : sampleFolder;

/** Reads and checks the files of one folder, and keeps what is wrong in them. */
function createReader(folder: string) {
  const mistakes: Mistake[] = [];
  const samples: Samples = {};
  const read = <Schema extends v.GenericSchema>(file: string, schema: Schema) =>
    readYamlFile(folder, file, schema, mistakes, samples);

  return {
    mistakes,
    samples,
    read,
    /** The valid files of a folder, each with its name as its slug. */
    async readAll<Schema extends v.GenericSchema<unknown, object>>(name: string, extension: string, schema: Schema) {
      const files = (await readdir(join(folder, name))).filter((file) => file.endsWith(extension)).sort();
      const pages = await Promise.all(
        files.map(async (file) => {
          const page = await read(`${name}/${file}`, schema);

          return page ? [{ slug: file.slice(0, -extension.length), ...page }] : [];
        }),
      );

      return pages.flat();
    },
    checkPicture(file: string, picture: string) {
      if (existsSync(join(folder, 'pictures', picture))) return;
      mistakes.push({ file, message: `there is no picture ${picture} in content/pictures` });
    },
  };
}

type Reader = ReturnType<typeof createReader>;

async function readSolutions(reader: Reader, accent: v.GenericSchema<unknown, string>) {
  const solutions = await reader.readAll('solutions', '.yaml', makeSolutionSchema(accent));
  for (const { slug, picture, cardPicture } of solutions) {
    for (const name of [picture, cardPicture]) reader.checkPicture(`solutions/${slug}.yaml`, name);
  }

  return solutions.sort((one, other) => one.order - other.order);
}

async function readArticles(reader: Reader) {
  const articles = await reader.readAll('articles', '.mdx', articleSchema);
  for (const { slug, picture } of articles) reader.checkPicture(`articles/${slug}.mdx`, `articles/${picture}.jpg`);

  return articles.sort((one, other) => other.date.localeCompare(one.date));
}

/**
 * Reads the owner's folder and checks all of it.
 * @throws ContentError with every mistake, each with its file and line
 */
export async function loadContent(folder = contentFolder): Promise<Content> {
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
  // Without site.yaml no name can be wrong.
  const solutions = await readSolutions(reader, brand ? oneOf(Object.keys(brand.accents)) : text);
  const articles = await readArticles(reader);
  const legalPages = await reader.readAll('legal', '.mdx', legalPageSchema);
  const pictures = site ? [site.logo, ...Object.values(site.promos).map(({ picture }) => picture)] : [];
  for (const picture of pictures) reader.checkPicture('site.yaml', picture);
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
    articles,
    legalPages,
    // Files are read at the same time, but two builds are the same.
    samples: Object.fromEntries(Object.entries(samples).sort()),
  };
}

/**
 * Writes the owner's words into the folder of a build for the programs, which read them as `#content/…`.
 * @throws ContentError
 */
export async function writeContent(folder: string): Promise<void> {
  const content = await loadContent();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'content.json'), JSON.stringify(content));
}
