import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { apiPaths } from '../../shared/paths.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { startWeb } from '../support/delivery-fixture.ts';
import { startProxy } from '../support/proxy.ts';
import { requestRaw } from '../support/raw-http.ts';
import { waitFor } from '../support/wait-for.ts';

/** Starts a proxy with a web process behind it. */
async function startSite() {
  const web = await startWeb({ DATABASE_URL: await createMigratedDatabase(), TRUST_PROXY: '127.0.0.0/8' });
  const proxy = await startProxy({ PORT: new URL(web.origin).port, PUBLIC_URL: 'http://localhost:3000' });
  await waitFor('the site', async () => (await requestRaw(proxy.plainUrl)).status === 200);

  return proxy;
}

const getStatus = (response: Promise<{ readonly status: number }>): Promise<number | string> =>
  response.then(({ status }) => status, (error: Error) => error.message);

/** Sends raw bytes and returns everything received until the server closes the connection. */
async function sendBytes(url: string, bytes: string): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.setTimeout(60_000, () => socket.destroy(new Error('The server did not close the connection.')));
  await once(socket, 'connect');
  socket.write(bytes);
  const response = await buffer(socket);
  socket.destroy();

  return response.toString();
}

test('a request can’t be hidden in another request’s body', async () => {
  const proxy = await startSite();
  const hidden = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nX: ';
  const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
  const send = (head: string, body: string) =>
    sendBytes(
      proxy.plainUrl,
      `POST /missing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${head}\r\n${body}`,
    );
  const both = await send('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', chunk);
  const odd = await send('Content-Length: 4\r\nTransfer-Encoding: xchunked\r\n', chunk);
  const twice = await send(`Content-Length: 4\r\nContent-Length: ${chunk.length}\r\n`, chunk);
  const folded = await send(`Content-Length: 4\r\nTransfer-Encoding:\r\n chunked\r\n`, chunk);

  for (const responses of [both, odd, twice, folded]) {
    expect(responses.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
    expect(responses).toMatch(/^HTTP\/1\.1 [45]/);
  }
});

const MEGABYTE = 1024 * 1024;

test('a body of 100 MB is refused without being buffered', async () => {
  const proxy = await startSite();
  const body = Buffer.alloc(100 * MEGABYTE, 'x');
  const post = (headers: Record<string, string>) =>
    getStatus(
      requestRaw(proxy.plainUrl + apiPaths.contactSubmissions, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      }),
    );
  const readPeak = async () => {
    const status = await readFile(`/proc/${proxy.pid}/status`, 'utf8');

    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  };
  const before = await readPeak();
  const outcomes = [
    await post({ 'content-length': String(body.length) }),
    await post({ 'transfer-encoding': 'chunked' }),
  ];

  // A client that is still sending after the refusal may lose the connection before it reads the response.
  const losses = ['write EPIPE', 'read ECONNRESET', 'write ECONNRESET'];
  expect(outcomes[0]).toBeOneOf([413, ...losses]);
  expect(outcomes[1]).toBeOneOf([411, ...losses]);
  expect((await readPeak()) - before).toBeLessThan(20 * MEGABYTE);
  expect((await requestRaw(proxy.plainUrl)).status).toBe(200);
});
