import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify, { type FastifyReply } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { limitConnections } from './connections.ts';
import { waitForBodies } from './request-body.ts';
import { addResponseCache, compressText } from './response-cache.ts';
import { setSecurityHeaders } from './security-headers.ts';

const headers = { contentType: 'text/plain', cacheControl: 'immutable' };

const here = compressText('here');

/** Creates a server that calls `prepare` with the reply, then sends a cached response. */
async function createServer(prepare: (reply: FastifyReply) => void = () => undefined) {
  const app = Fastify();
  setSecurityHeaders(app, 'http://localhost:3000', { 'x-frame-options': 'DENY' });
  limitConnections(app);
  waitForBodies(app);
  addResponseCache(app);
  app.get('/', async (_request, reply) => {
    prepare(reply);

    return reply.sendCached(here, headers);
  });
  onTestFinished(() => app.close());

  return app;
}

test('headers set earlier are sent only once, and the cached response overrides them', async () => {
  const app = await createServer((reply) => {
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

test('a request with a body gets its response once the body has arrived, and the connection stays open', async () => {
  const app = await createServer();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  const received = text(socket);
  const requested = once(app.server, 'request');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\n');
  await requested;
  // Sent after the waiting request.
  expect((await app.inject('/')).body).toBe('here');
  const [exchange] = app.connections.values();
  expect(exchange?.response.headersSent).toBe(false);

  socket.write('12345');
  await expect.poll(() => exchange?.response.writableFinished).toBe(true);
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  expect((await received).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
});
