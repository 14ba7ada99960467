import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify, { type FastifyReply } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { connectionLimit } from './connection-limit.ts';
import { gracefulShutdown } from './graceful-shutdown.ts';
import { cacheEncodings, responseCache, type CachedResponse } from './response-cache.ts';
import { securityHeaders } from './security-headers.ts';

const headers = { contentType: 'text/plain', cacheControl: 'immutable' };

const here: CachedResponse = { encodings: ['identity'], encode: async () => Buffer.from('here'), tag: 'tag' };

/** A server that responds with `body`, after what `prepare` does with the reply. */
async function createServer(body: CachedResponse, prepare: (reply: FastifyReply) => void = () => undefined) {
  const app = Fastify();
  await app.register(connectionLimit);
  await app.register(gracefulShutdown);
  await app.register(securityHeaders, { publicUrl: 'http://localhost:3000', headers: { 'x-frame-options': 'DENY' } });
  await app.register(responseCache);
  app.get('/', async (_request, reply) => {
    prepare(reply);

    return reply.sendCached(body, headers);
  });
  onTestFinished(() => app.close());

  return app;
}

test('a body that can’t be read gets an error without its headers, and is read again by the next request', async () => {
  let attempts = 0;
  const encode = cacheEncodings(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('EMFILE');

    return Buffer.from('here');
  });
  const app = await createServer({ ...here, encode });

  const failed = await app.inject('/');
  expect(failed.statusCode).toBe(500);
  expect([failed.headers['cache-control'], failed.headers['etag']]).toEqual([undefined, undefined]);

  const [made, known] = [await app.inject('/'), await app.inject('/')];
  expect([made.body, known.body, attempts]).toEqual(['here', 'here', 2]);
  expect(made.headers['cache-control']).toBe('immutable');
});

test('headers that the reply has already are sent, each once, and those of the cached response are right', async () => {
  const app = await createServer(here, (reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-frame-options': 'SAMEORIGIN', 'x-robots-tag': 'noindex' });
  });
  const response = await app.inject('/');

  expect(response.headers).toMatchObject({
    'cache-control': 'immutable',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex',
    'content-length': '4',
  });
});

test('a request with a body gets its response once that has arrived, and the connection stays', async () => {
  const app = await createServer(here);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  const received = text(socket);
  const asked = once(app.server, 'request');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\n');
  await asked;
  // Made after the one that waits.
  expect((await app.inject('/')).body).toBe('here');
  const [exchange] = app.connections.values();
  expect(exchange?.response.headersSent).toBe(false);

  socket.write('12345GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  expect((await received).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
});
