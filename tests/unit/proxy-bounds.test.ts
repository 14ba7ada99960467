import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { MAX_CONNECTIONS } from '../../server/http/connections.ts';

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

test('the proxy opens fewer connections to web than web takes', async () => {
  const bounds = [...(await read('deploy/proxy/Caddyfile')).matchAll(/import to-web (\d+)/g)];

  expect(bounds).toHaveLength(3);
  expect(bounds.reduce((sum, [, bound]) => sum + Number(bound), 0)).toBeLessThan(MAX_CONNECTIONS);
});

test('the connections that the firewall leaves one address carry fewer requests than there are places for pages', async () => {
  const limits = await read('docs/operations/certificates.md');
  const connections = [...limits.matchAll(/ct count over (\d+)/g)].map(([, count]) => Number(count));
  const pages = Number(/import to-web (\d{4})/.exec(await read('deploy/proxy/Caddyfile'))?.[1]);

  expect(connections).toHaveLength(2);
  // Caddy takes 250 requests at a time on a connection of HTTP/2.
  expect(Math.max(...connections) * 250).toBeLessThan(pages);
});

test('the proxy’s memory is collected before it reaches the limit', async () => {
  const { services } = parse(await read('docker-compose.yml'), { merge: true }) as {
    services: { proxy: { environment: { GOMEMLIMIT: string }; mem_limit: string } };
  };
  const { environment, mem_limit: limit } = services.proxy;
  const share = Number(/^(\d+)MiB$/.exec(environment.GOMEMLIMIT)?.[1]) / Number(/^(\d+)m$/.exec(limit)?.[1]);

  expect(share).toBeGreaterThan(0.5);
  expect(share).toBeLessThan(0.9);
});
