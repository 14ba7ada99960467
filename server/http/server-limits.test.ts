import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { serverLimits } from './server-limits.ts';

test('a handler has half a minute, unless it says that it bounds its own time', async () => {
  const app = Fastify();
  await app.register(serverLimits, { headers: {} });
  app.get('/', async ({ routeOptions }) => routeOptions.handlerTimeout);
  app.get('/bounded', { config: { isBounded: true } }, async ({ routeOptions }) => routeOptions.handlerTimeout);

  expect((await app.inject('/')).body).toBe('30000');
  expect((await app.inject('/bounded')).body).toBe('0');
  expect((await app.inject({ method: 'HEAD', url: '/bounded' })).headers['content-length']).toBe('1');
});
