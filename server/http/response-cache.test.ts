import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { cacheEncodings, prepareCachedResponse } from './response-cache.ts';

test('a body that can’t be made is answered without the headers of one, and made anew when asked again', async () => {
  let tries = 0;
  const body = {
    encodings: ['identity'] as const,
    encode: cacheEncodings(async () => {
      tries += 1;
      if (tries === 1) throw new Error('EMFILE');

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
  expect([made.body, known.body, tries]).toEqual(['here', 'here', 2]);
  expect(made.headers['cache-control']).toBe('immutable');
});
