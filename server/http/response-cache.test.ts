import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { cacheEncodings, prepareCachedResponse } from './response-cache.ts';

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
  app.get('/', (request, reply) =>
    prepareCachedResponse(request, reply, body, { contentType: 'text/plain', cacheControl: 'immutable' }),
  );

  const failed = await app.inject('/');
  expect(failed.statusCode).toBe(500);
  expect([failed.headers['cache-control'], failed.headers['etag']]).toEqual([undefined, undefined]);

  const [made, known] = [await app.inject('/'), await app.inject('/')];
  expect([made.body, known.body, attempts]).toEqual(['here', 'here', 2]);
  expect(made.headers['cache-control']).toBe('immutable');
});
