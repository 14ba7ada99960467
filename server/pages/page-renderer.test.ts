import { expect, test } from 'vitest';
import type { Site } from '../../shared/site.ts';
import { createPageRenderer } from './page-renderer.ts';

const site: Site = {
  name: 'Praline',
  legalEntity: 'Praline LLC',
  legalEmail: 'legal@example.com',
  publicUrl: 'https://www.example.com',
};
const load = { isOverloaded: () => false };

test('a page is rendered once for concurrent requests', async () => {
  let renderings = 0;
  let finish = (_html: string): void => undefined;
  const html = new Promise<string>((resolve) => void (finish = resolve));
  const { renderCached } = createPageRenderer(
    () => {
      renderings += 1;

      return html;
    },
    site,
    { cachesPages: true, load },
  );

  const asked = Promise.all([renderCached('/about'), renderCached('/about')]);
  finish('<!doctype html>');
  const [first, second] = await asked;

  expect(second).toBe(first);
  expect(await renderCached('/about')).toBe(first);
  expect(renderings).toBe(1);
});

test('a page whose rendering failed is rendered again for the next request', async () => {
  const outcomes = [() => Promise.reject(new Error('No chunk.')), () => Promise.resolve('<!doctype html>')];
  const { renderCached } = createPageRenderer(() => outcomes.shift()?.() ?? Promise.resolve(''), site, {
    cachesPages: true,
    load,
  });

  await expect(renderCached('/about')).rejects.toThrow('No chunk.');

  expect(String(await (await renderCached('/about')).encode('identity'))).toBe('<!doctype html>');
});
