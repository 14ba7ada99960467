import { expect } from 'vitest';
import { createMigratedDatabase } from '../support/database.ts';
import { startWeb } from '../support/delivery-fixture.ts';
import { copyProject } from '../support/demo.ts';
import { writeRandomContent } from '../support/random-content.ts';
import { startProgram } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';

const BUILD_TIMEOUT = 200_000;

const LINK = /\b(?:href|src|poster)="([^"]*)"|<loc>([^<]*)/g;

/** Follows every link from the home page and the sitemap. Returns those that lead nowhere. */
async function findDeadLinks(origin: string, starts: readonly string[]): Promise<string[]> {
  const dead: string[] = [];
  /** Undefined after a redirect, whose target need not have the anchor. */
  const idsByPath = new Map<string, readonly string[] | undefined>();
  const visit = async (path: string, from: string) => {
    const response = await fetch(origin + path);
    const text = await response.text();
    const ids = [...text.matchAll(/\bid="([^"]*)"/g)].map(([, id = '']) => id);
    idsByPath.set(path, response.redirected ? undefined : ids);
    if (!response.ok) dead.push(`${response.status} ${path} on ${from}`);
    if (!/html|xml/.test(response.headers.get('content-type') ?? '')) return;
    for (const [, link, place] of text.matchAll(LINK)) {
      const { origin: linked, pathname, search, hash } = new URL((link ?? place ?? '').replaceAll('&amp;', '&'), origin + path);
      if (linked !== origin) continue;
      if (!idsByPath.has(pathname + search)) await visit(pathname + search, path);
      if (hash && idsByPath.get(pathname + search)?.includes(hash.slice(1)) === false) dead.push(`${pathname}${hash} on ${path}`);
    }
  };
  for (const path of starts) await visit(path, 'the list');

  return dead;
}

faultRow(93, 'Any valid content: it is built, and every link leads somewhere', async (chance) => {
  const folder = await copyProject();
  const build = startProgram('node', ['scripts/build.ts'], { CONTENT_DIR: await writeRandomContent(chance) }, { folder });
  await waitFor('the build', build.hasExited, BUILD_TIMEOUT);
  expect(await build.stop(), build.output()).toBe(0);
  const web = await startWeb({ DATABASE_URL: await createMigratedDatabase() }, undefined, { folder });

  expect(await findDeadLinks(web.origin, ['/', '/sitemap.xml', '/Old-page/', '/google123.html', '/.well-known/check', '/Preise%20ß.txt'])).toEqual([]);
});
