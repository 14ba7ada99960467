import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { limitConnections, respondToMalformedRequest } from './connections.ts';

const SOFT_MAX_CONNECTIONS = 5;
/** More than the kernel can buffer of an unread response. */
const huge = Buffer.alloc(32 * 1024 * 1024);

/** Starts a server that closes connections beyond five. */
async function startServer() {
  const app: FastifyInstance = Fastify({
    forceCloseConnections: true,
    clientErrorHandler: (_error, socket) => respondToMalformedRequest(app, socket, '', {}),
  });
  limitConnections(app, SOFT_MAX_CONNECTIONS);
  app.get('/', async () => 'here');
  app.get('/huge', async () => huge);
  let respond = () => undefined as void;
  const waiting = new Promise<void>((resolve) => (respond = resolve));
  app.get('/waiting', async () => waiting.then(() => 'late'));
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;

  return { app, port, respond };
}

type Site = Awaited<ReturnType<typeof startServer>>;

/** Opens a connection and waits until the server has accepted it. */
async function open({ app, port }: Site): Promise<Socket> {
  const accepted = once(app.server, 'connection');
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await accepted;

  return socket;
}

/** Opens a connection and sends a request without reading the response. */
async function sendRequest(site: Site, path: string): Promise<Socket> {
  const received = once(site.app.server, 'request');
  const socket = await open(site);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  await received;

  return socket;
}

/** Reads a complete response. */
async function read(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (/\r\n\r\n./.test(text)) break;
  }

  return text;
}

test('a new client gets a response despite many unread responses, and the oldest connection is closed', async () => {
  const site = await startServer();
  const unread = [];
  for (let count = 0; count < SOFT_MAX_CONNECTIONS; count += 1) unread.push(await sendRequest(site, '/huge'));

  const visitor = await open(site);
  await open(site);
  await open(site);
  visitor.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');

  expect(await read(visitor)).toContain('here');
  expect(site.app.connections.size).toBe(SOFT_MAX_CONNECTIONS);
});

test('a client gets its pending response, however many connections follow', async () => {
  const site = await startServer();
  const waiting = await sendRequest(site, '/waiting');
  for (let count = 0; count < SOFT_MAX_CONNECTIONS * 2; count += 1) await open(site);
  site.respond();

  expect(await read(waiting)).toContain('late');
});

test('a connection with a new request is no longer the oldest', async () => {
  const site = await startServer();
  const used = await sendRequest(site, '/');
  await read(used);
  for (let count = 1; count < SOFT_MAX_CONNECTIONS; count += 1) await open(site);
  const received = once(site.app.server, 'request');
  used.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await received;
  await open(site);

  expect(await read(used)).toContain('here');
  expect(used.destroyed).toBe(false);
  expect([...site.app.connections.keys()].some(({ remotePort }) => remotePort === used.localPort)).toBe(true);
});

test('after malformed input, the server stops reading, sends the pending response and disconnects', async () => {
  const site = await startServer();
  const waiting = await sendRequest(site, '/waiting');
  const refused = once(site.app.server, 'clientError');
  waiting.write('hello\r\n\r\n');
  await refused;
  const [connection] = site.app.connections.keys();
  const bytesRead = connection?.bytesRead;
  waiting.write('x'.repeat(1_000));
  // The response to this later request shows that the server has read everything it is going to read.
  await read(await sendRequest(site, '/'));

  expect(connection?.bytesRead).toBe(bytesRead);
  site.respond();
  expect(await read(waiting)).toMatch(/connection: close\r\n[\s\S]*late$/i);
});
