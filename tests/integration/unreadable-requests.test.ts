import { connect } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createMigratedDatabase } from '../support/database.ts';
import { openWebServer, type OpenWeb } from '../support/open-site.ts';
import { waitFor } from '../support/wait-for.ts';

let web: OpenWeb;

beforeAll(async () => {
  web = await openWebServer({ DATABASE_URL: await createMigratedDatabase() });

  return web.stop;
});

const NONSENSE = 'hello\r\n\r\n';

test('a client that goes on after nonsense loses the connection, though it doesn’t close its side', async () => {
  const { hostname, port } = new URL(web.origin);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const drip = setInterval(() => socket.write('x'), 50);
  onTestFinished(() => {
    clearInterval(drip);
    socket.destroy();
  });
  let received = '';
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (received += chunk.toString()));
  socket.write(NONSENSE);
  await waitFor('the end of the connection', () => socket.closed);

  expect(received).toMatch(/^HTTP\/1\.1 400 /);
});
