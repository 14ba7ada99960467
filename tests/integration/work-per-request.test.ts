import { expect, test } from 'vitest';
import { apiPaths, siteFilePaths, routePatterns } from '../../shared/paths.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { PASSWORD, readCookie, tryPassword } from '../support/insights-gate.ts';
import { openWeb } from '../support/open-site.ts';
import { pagePaths } from '../support/site-content.ts';
import { loadFrontEnd } from '../support/web-replacements.ts';

/*
 * What a request costs, in what can be counted exactly; times are for the benchmarks (docs/benchmarks.md).
 */

/** A web in which nothing was asked yet. */
async function openSite(settings: Readonly<Record<string, string>> = {}) {
  const renders: string[] = [];
  const frontEnd = await loadFrontEnd();
  const web = await openWeb({ DATABASE_URL: await createMigratedDatabase(), ...settings }, {
    ...frontEnd,
    renderDocument: (location, state) => {
      renders.push(location);

      return frontEnd.renderDocument(location, state);
    },
  });

  return {
    origin: web.origin,
    /** What was rendered since the start. A search, rendered for each request, marks the end. */
    listRenders: async (headers: Readonly<Record<string, string>> = {}): Promise<string[]> => {
      const mark = `${routePatterns.insights}?q=mark-${renders.length}`;
      expect((await fetch(web.origin + mark, { headers })).status).toBe(200);
      expect(renders.at(-1)).toBe(mark);

      return renders.filter((path) => !path.includes('mark-'));
    },
  };
}

/** Requests each address in every encoding and with a query nobody knows, all at once. */
async function requestInAllWays(origin: string, paths: readonly string[]): Promise<number[]> {
  return Promise.all(
    paths.flatMap((path) =>
      ['br', 'gzip', 'identity'].flatMap((encoding) =>
        [path, `${path}?utm_source=x`].map(async (url) => {
          const response = await fetch(origin + url, { headers: { 'accept-encoding': encoding } });
          await response.text();

          return response.status;
        }),
      ),
    ),
  );
}

test('every page is rendered once, however often and in whatever encoding it is asked for', async () => {
  const { origin, listRenders } = await openSite();

  const first = await requestInAllWays(origin, pagePaths);
  const again = await requestInAllWays(origin, pagePaths);

  expect(new Set([...first, ...again])).toEqual(new Set([200]));
  expect((await listRenders()).sort()).toEqual([...pagePaths].sort());
});

test('a thousand unknown addresses cost one rendering', async () => {
  const { origin, listRenders } = await openSite();
  const addresses = Array.from({ length: 1_000 }, (_, index) => `/unknown-${index}`);

  const responses = await Promise.all(addresses.map((path) => fetch(origin + path)));

  expect(responses.map(({ status }) => status)).toEqual(addresses.map(() => 404));
  expect(await listRenders()).toHaveLength(1);
});

test('a search of the listing is rendered once for each request, and nothing else is', async () => {
  const { origin, listRenders } = await openSite();
  const search = `${routePatterns.insights}?q=data`;

  for (let asked = 1; asked <= 3; asked += 1) {
    expect((await fetch(origin + search)).status).toBe(200);
    expect(await listRenders()).toEqual(Array.from({ length: asked }, () => search));
  }
});

test('what is no page costs no rendering', async () => {
  const { origin, listRenders } = await openSite();
  const document = await fetch(origin).then((response) => response.text());
  const files = [...document.matchAll(/"(\/assets\/[^"\s]+)"/g)].map(([, path = '']) => path);
  const paths = [
    ...[apiPaths.live, apiPaths.ready],
    ...Object.values(siteFilePaths),
    ...files,
  ];

  for (const path of paths) expect([path, (await fetch(origin + path)).status]).toEqual([path, 200]);
  expect(files.length).toBeGreaterThan(3);
  expect(await listRenders()).toEqual([routePatterns.home]);
});

test('behind a password the listing is rendered once for those outside and once for those inside', async () => {
  const { origin, listRenders } = await openSite({ INSIGHTS_PASSWORD: PASSWORD });
  const unlocked = await tryPassword(origin, { password: PASSWORD });
  const cookie = readCookie(unlocked) ?? '';
  const bodies: string[] = [];

  for (const headers of [{}, { cookie }, {}, { cookie }]) {
    const response = await fetch(origin + routePatterns.insights, { headers });
    expect(response.status).toBe(200);
    bodies.push(await response.text());
  }
  expect(unlocked.status).toBe(204);
  expect(new Set(bodies).size).toBe(2);
  expect(await listRenders({ cookie })).toEqual([routePatterns.insights, routePatterns.insights]);
});
