import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { MAX_CONNECTIONS } from '../../server/http/connections.ts';

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

test('the proxy opens fewer connections to web than web takes', async () => {
  const bounds = [...(await read('deploy/proxy/Caddyfile')).matchAll(/import to-web (\d+)/g)];

  expect(bounds).toHaveLength(3);
  expect(bounds.reduce((sum, [, bound]) => sum + Number(bound), 0)).toBeLessThan(MAX_CONNECTIONS);
});
