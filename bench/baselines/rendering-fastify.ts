import Fastify from 'fastify';
import * as v from 'valibot';
import { toListedArticle } from '../../shared/content/article.ts';
import { readArticles } from '../../shared/node/content/articles.ts';
import { routePatterns } from '../../shared/paths.ts';
import type { PageState } from '../../shared/page-state.ts';
import { readBuiltAssets } from '../../server/ssr/document-assets.ts';

/*
 * What most servers with React do: a Fastify that renders the page for each request, by the built
 * pages' own code with React's renderToString, without vite-plugin-ssr around it. LOCATION is the
 * page; IS_NOT_FOUND makes it the not-found page.
 */

interface Renderer {
  readonly render: (input: unknown) => Promise<unknown>;
}

const documentSchema = v.object({ pageContext: v.object({ document: v.string() }) });
const entry = new URL('../../dist/server/entries/renderer_default-page-server.mjs', import.meta.url);

const { render } = (await import(entry.href)) as Renderer;
const assets = await readBuiltAssets();
const location = process.env['LOCATION'] ?? '';
const state: PageState = {
  site: {
    name: 'Praline',
    legalEntity: 'Praline',
    legalEmail: 'legal@example.com',
    publicUrl: 'http://localhost:3000',
  },
  isNotFound: process.env['IS_NOT_FOUND'] === 'yes',
  ...(location.split('?', 1)[0] === routePatterns.insights
    ? { insights: { isGated: false, articles: (await readArticles()).map(toListedArticle) } }
    : {}),
};
const app = Fastify();

app.get('/', async (_request, reply) => {
  const { pageContext } = v.parse(documentSchema, await render({ location, state, assets }));

  return reply.type('text/html; charset=utf-8').send(pageContext.document);
});

await app.listen({ host: process.env['HOST'] ?? '', port: Number(process.env['PORT']) });
