import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { articlesFolder, readArticles } from '../../shared/node/content/articles.ts';

const MODULE = 'virtual:article-list';
const RESOLVED = `\0${MODULE}`;

/** Where the originals of the pictures are. */
const picturesFolder = new URL('../../client/assets/pictures/articles/', import.meta.url);

/**
 * Gives `virtual:article-list`, whose export `articleList` has what stands above every article, with
 * its slug and the files of its picture, the newest first. A wrong front matter ends the build with
 * its message.
 */
export function articleList(): Plugin {
  return {
    name: 'article-list',
    resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
    async load(id) {
      if (id !== RESOLVED) return undefined;
      const articles = await readArticles();
      for (const { slug } of articles) {
        this.addWatchFile(fileURLToPath(new URL(`${slug}.mdx`, articlesFolder)));
      }
      const imports = articles.map(({ picture }, index) => {
        const file = fileURLToPath(new URL(`${picture}.jpg`, picturesFolder));

        return `import file${index} from ${JSON.stringify(`${file}?article`)};`;
      });
      const entries = articles.map(
        (article, index) => `{...${JSON.stringify(article)},pictureFile:file${index}}`,
      );

      return `${imports.join('\n')}\nexport const articleList = [${entries.join(',')}];`;
    },
  };
}
