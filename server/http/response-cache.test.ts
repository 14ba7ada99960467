import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { connectionLimit } from './connection-limit.ts';
import { gracefulShutdown } from './graceful-shutdown.ts';
import { cacheEncodings, responseCache } from './response-cache.ts';
import { securityHeaders } from './security-headers.ts';

test('a body that can’t be read gets an error without its headers, and is read again by the next request', async () => {
  let attempts = 0;
  const body = {
    encodings: ['identity'] as const,
    encode: cacheEncodings(async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('EMFILE');

      return Buffer.from('here');
    }),
    tag: 'tag',
  };
  const app = Fastify();
  await app.register(connectionLimit);
  await app.register(gracefulShutdown);
  await app.register(securityHeaders, { publicUrl: 'http://localhost:3000', headers: {} });
  await app.register(responseCache);
  const headers = { contentType: 'text/plain', cacheControl: 'immutable' };
  app.get('/', (_request, reply) => reply.sendCached(body, headers));

  const failed = await app.inject('/');
  expect(failed.statusCode).toBe(500);
  expect([failed.headers['cache-control'], failed.headers['etag']]).toEqual([undefined, undefined]);

  const [made, known] = [await app.inject('/'), await app.inject('/')];
  expect([made.body, known.body, attempts]).toEqual(['here', 'here', 2]);
  expect(made.headers['cache-control']).toBe('immutable');
});
