import { expect, test, vi } from 'vitest';
import type { Site } from '../../shared/site.ts';
import { createPageRenderer } from './page-renderer.ts';

const site: Site = {
  name: 'Praline',
  legalEntity: 'Praline LLC',
  legalEmail: 'legal@example.com',
  publicUrl: 'https://www.example.com',
};
const load = { isOverloaded: () => false };

test('a page is rendered once for concurrent and later requests', async () => {
  const render = vi.fn(async () => '<!doctype html>');
  const { renderCached } = createPageRenderer(render, site, { cachesPages: true, load });

  const [first, second] = await Promise.all([renderCached('/about'), renderCached('/about')]);

  expect(second).toBe(first);
  expect(await renderCached('/about')).toBe(first);
  expect(render).toHaveBeenCalledOnce();
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
