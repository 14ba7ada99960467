import { join, relative } from 'node:path';
import type { Plugin } from 'vite';
import type { Article, Content } from '../../shared/content/content-schema.ts';
import type { SolutionPage } from '../../shared/content/solution-schema.ts';
import { buildFolder } from '../../shared/node/content/build-folder.ts';
import { projectRoot } from '../processes.ts';
import { contentFolder, readContent } from '../content/load-content.ts';
import { writeBrandStyles } from './brand-styles.ts';
import { findDayFormat } from './day-format.ts';

const PREFIX = '#content/';
const FILES = '#files/';

const screensFolder = join(projectRoot, 'client', 'screens');

const getScreenFile = (slug: string) => join(screensFolder, 'solutions', `${slug}-screen.tsx`);

const imprintFile = join(screensFolder, 'imprint-screen.tsx');

/** Returns whether this plugin generates the screen at this path. */
const isContentScreen = (id: string) => id.startsWith(join(screensFolder, 'solutions')) || id === imprintFile;

const getPicture = (name: string, use: string) => JSON.stringify(`${join(contentFolder, 'pictures', name)}?${use}`);

/** Returns imports of pictures as `p0`, `p1` and so on. */
const importPictures = (names: readonly string[], use: string) =>
  names.map((name, index) => `import p${index} from ${getPicture(name, use)};`).join('\n');

/** Returns the name of a module's export: `industryChallenges` for `industry-challenges`. */
const toExportName = (module: string) => module.replace(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());

function writeModule(content: Content, module: string): string {
  const name = toExportName(module);

  return `export const ${name} = ${JSON.stringify(content[name as keyof Content])};`;
}

/** Returns a solution's screen: the common template with its texts, pictures and vignette. */
function writeScreen({ picture, cardPicture: _picture, cardText: _text, vignette, hasEstimate, ...page }: SolutionPage): string {
  const estimateSection = hasEstimate ? '<EstimateSection />' : 'undefined';

  return `import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';
import landscape from ${getPicture(picture, 'hero')};
import portrait from ${getPicture(picture, 'right-half')};
${vignette ? `import { Scene } from '../../features/vignettes/${vignette}-vignette.tsx';` : ''}
${hasEstimate ? "import { EstimateSection } from '../../features/estimate/estimate-section.tsx';" : ''}
export const { Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  ${JSON.stringify(page)},
  { landscape, portrait },
  ${vignette ? 'import.meta.env.SSR && <Scene />' : 'undefined'},
  ${estimateSection},
);`;
}

/** Source code of the imprint's screen. The other legal texts have screens in `client/screens`. */
const IMPRINT_SCREEN = `import * as text from '${FILES}legal/imprint.mdx';
import { makeLegalScreen } from './legal/legal-page.tsx';
export const { Screen, getMeta } = makeLegalScreen(text);`;

function writeScreenLoaders({ solutionPages, hasImprint }: Content): string {
  const files = [...Object.keys(solutionPages).map(getScreenFile), ...(hasImprint ? [imprintFile] : [])];
  const entries = files.map(
    (file) => `${JSON.stringify(`../screens/${relative(screensFolder, file)}`)}: () => import(${JSON.stringify(file)}),`,
  );

  return `export const contentScreens = {\n${entries.join('\n')}\n};`;
}

/** Returns a module with the home page's cards. */
function writeCards({ solutionPages }: Content): string {
  const entries = Object.entries(solutionPages);
  const imports = importPictures(entries.map(([, { cardPicture }]) => cardPicture), 'card');
  const cards = entries.map(([slug, { name, cardText, accent }], index) => {
    const words = JSON.stringify({ slug, name, cardText, accent });

    return `{...${words},picture:p${index}}`;
  });

  return `${imports}\nexport const solutionCards = [${cards.join(',\n')}];`;
}

function writePromoPictures({ siteWords: { promos } }: Content): string {
  const entries = Object.entries(promos);
  const imports = importPictures(entries.map(([, { picture }]) => picture), 'promo');

  return `${imports}\nexport const promoPictures = {${entries.map(([menu], index) => `${menu}:p${index}`).join()}};`;
}

/** Returns a module with article pictures by name. The locked listing loads it too, so it doesn't contain slugs. */
function writeArticlePictures({ articles }: Content): string {
  const names = [...new Set(articles.map(({ picture }) => picture))];
  const imports = importPictures(names.map((name) => `articles/${name}.jpg`), 'card');

  return `${imports}
export const articlePictures = {${names.map((name, index) => `${JSON.stringify(name)}: p${index}`).join(', ')}};`;
}

const pickLink = (article: Article | undefined) => article && { slug: article.slug, title: article.title };

/** Returns a module with functions that import an article, by slug. */
function writeArticleLoaders({ articles }: Content): string {
  const entries = articles.map(
    ({ slug }) => `[${JSON.stringify(slug)},()=>import(${JSON.stringify(`${ARTICLES}/${slug}`)})]`,
  );

  return `export const articleLoaders = new Map([${entries.join(',')}]);`;
}

/** Returns a module with an article's text, picture and neighbors. */
function writeArticle({ articles }: Content, slug: string): string {
  const index = articles.findIndex((article) => article.slug === slug);
  const article = articles[index];
  if (!article) throw new Error(`There is no article ${slug}.`);
  const neighbors = { previous: pickLink(articles[index - 1]), next: pickLink(articles[index + 1]) };

  return `import pictureFile from ${getPicture(`articles/${article.picture}.jpg`, 'article')};
export { default, tableOfContents } from ${JSON.stringify(join(contentFolder, 'articles', `${slug}.mdx`))};
export const frame = {article:{...${JSON.stringify(article)},pictureFile},...${JSON.stringify(neighbors)}};`;
}

const ARTICLES = 'virtual:articles';

/** Virtual modules other than `#content/…`. */
const writers: Readonly<Record<string, (content: Content) => string>> = {
  'virtual:brand.css': ({ brand }) => writeBrandStyles(brand),
  'virtual:logo': ({ brand }) => `export const logo = ${JSON.stringify(brand.logo)};`,
  'virtual:day-format': ({ siteWords }) => `export const { months, pattern } = ${JSON.stringify(findDayFormat(siteWords.locale))};`,
  'virtual:content-screens': writeScreenLoaders,
  'virtual:solution-cards': writeCards,
  'virtual:promo-pictures': writePromoPictures,
  'virtual:article-pictures': writeArticlePictures,
  'virtual:article-links': ({ articles }) => `export const articleLinks = ${JSON.stringify(articles.map(pickLink))};`,
  [ARTICLES]: writeArticleLoaders,
};

function writeModuleOf(id: string, content: Content): string | undefined {
  if (id.startsWith(PREFIX)) return writeModule(content, id.slice(PREFIX.length));
  if (id.startsWith(`${ARTICLES}/`)) return writeArticle(content, id.slice(ARTICLES.length + 1));

  return writers[id]?.(content);
}

/**
 * Provides the owner's content to pages: `#content/<name>`, `#files/<path>`, the virtual modules, and each solution's
 * screen as if it were a file in `client/screens/solutions/`.
 */
export function contentModules(): Plugin {
  return {
    name: 'content-modules',
    enforce: 'pre',
    config: () => ({ resolve: { alias: { [FILES.slice(0, -1)]: contentFolder } } }),
    resolveId: (id) => {
      const isOurs = id.startsWith(PREFIX) || id.startsWith(`${ARTICLES}/`) || id in writers;

      return isOurs ? `\0${id}` : isContentScreen(id) ? id : undefined;
    },
    async load(id) {
      const isScreen = isContentScreen(id);
      if (!isScreen && !id.startsWith('\0')) return undefined;
      const content = await readContent(buildFolder);
      if (!isScreen) return writeModuleOf(id.slice(1), content);
      if (id === imprintFile) return IMPRINT_SCREEN;
      const [, page] = Object.entries(content.solutionPages).find(([slug]) => getScreenFile(slug) === id) ?? [];

      return page && writeScreen(page);
    },
  };
}
