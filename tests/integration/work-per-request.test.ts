import Fastify, { type FastifyInstance } from 'fastify';
import { beforeAll, expect, test } from 'vitest';
import { createGate, type Gate } from '../../server/insights/gate.ts';
import { createGateLimits } from '../../server/insights/gate-limits.ts';
import { createInsightsStates } from '../../server/insights/insights-states.ts';
import { registerInsights } from '../../server/insights/insights-routes.ts';
import { readBuiltAssets } from '../../server/ssr/document-assets.ts';
import { createPageRenderer } from '../../server/ssr/page-renderer.ts';
import { registerPages } from '../../server/ssr/page-routes.ts';
import { loadBuiltPages, type RenderDocument } from '../../server/ssr/render-document.ts';
import { createLogger } from '../../shared/node/logger.ts';
import { apiPaths, routePatterns } from '../../shared/paths.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { articles, pagePaths, SITE_NAME } from '../support/site-content.ts';

/*
 * What a request costs, in what can be counted exactly; times are for the benchmarks (docs/benchmarks.md).
 */

const site = {
  name: SITE_NAME,
  legalEntity: SITE_NAME,
  legalEmail: 'legal@example.com',
  publicUrl: 'http://localhost:3000',
};

let renderDocument: RenderDocument;

beforeAll(async () => {
  const logger = createLogger({ level: 'silent', process: 'web' });
  renderDocument = await loadBuiltPages(await readBuiltAssets(), logger);
});

/** The routes of pages, over a renderer that counts. */
async function openPages(gate?: Gate): Promise<{ app: FastifyInstance; countRenders: () => number }> {
  let renders = 0;
  const pages = createPageRenderer(
    (location, state) => {
      renders += 1;

      return renderDocument(location, state);
    },
    site,
    { keepsPages: true },
  );
  const app = Fastify();
  await app.register((scope) =>
    registerInsights(scope, {
      pages,
      states: createInsightsStates(articles, gate),
      gate,
    }),
  );
  registerPages(app, pages, new Set(pagePaths));

  return { app, countRenders: () => renders };
}

/** Asks for each address in every encoding and with a query nobody knows, all at once. */
async function askInAllWays(app: FastifyInstance, paths: readonly string[]): Promise<number[]> {
  const answers = await Promise.all(
    paths.flatMap((path) =>
      ['br', 'gzip', 'identity'].flatMap((encoding) =>
        [path, `${path}?utm_source=x`].map((url) =>
          app.inject({ url, headers: { 'accept-encoding': encoding } }),
        ),
      ),
    ),
  );

  return answers.map(({ statusCode }) => statusCode);
}

test('every page is rendered once, however often and in whatever encoding it is asked for', async () => {
  const { app, countRenders } = await openPages();

  const first = await askInAllWays(app, pagePaths);
  const again = await askInAllWays(app, pagePaths);

  expect(new Set([...first, ...again])).toEqual(new Set([200]));
  expect(countRenders()).toBe(pagePaths.length);
});

test('a thousand unknown addresses cost one rendering', async () => {
  const { app, countRenders } = await openPages();
  const addresses = Array.from({ length: 1_000 }, (_, index) => `/unknown-${index}`);

  const answers = await Promise.all(addresses.map((url) => app.inject({ url })));

  expect(answers.map(({ statusCode }) => statusCode)).toEqual(addresses.map(() => 404));
  expect(countRenders()).toBe(1);
});

test('a search of the listing is rendered once for each request, and nothing else is', async () => {
  const { app, countRenders } = await openPages();
  const search = `${routePatterns.insights}?q=data`;

  for (let asked = 1; asked <= 3; asked += 1) {
    expect((await app.inject({ url: search })).statusCode).toBe(200);
    expect(countRenders()).toBe(asked);
  }
});

test('behind a password the listing is rendered once for those outside and once for those inside', async () => {
  const { publicUrl } = site;
  const secrets = ['a secret of thirty-two characters'];
  const limits = createGateLimits(undefined);
  const { app, countRenders } = await openPages(
    createGate({ password: PASSWORD, secrets, publicUrl, limits }),
  );
  const unlocked = await app.inject({
    method: 'POST',
    url: apiPaths.insightsSession,
    payload: { password: PASSWORD },
  });
  const [cookie = ''] = String(unlocked.headers['set-cookie']).split(';');

  for (const headers of [{}, { cookie }, {}, { cookie }]) {
    const { statusCode } = await app.inject({ url: routePatterns.insights, headers });
    expect(statusCode).toBe(200);
  }
  expect(unlocked.statusCode).toBe(204);
  expect(countRenders()).toBe(2);
});
