import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../../scripts/free-port.ts';
import { apiPaths } from '../../shared/paths.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { startProxy } from '../support/proxy.ts';
import { requestRaw } from '../support/raw-http.ts';
import { startProcess, type SiteProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

/** A proxy with web processes behind it, which start and stop on the same port. */
async function startSite() {
  const databaseUrl = await createMigratedDatabase();
  const port = String(await findFreePort());
  const proxy = await startProxy({ PORT: port, PUBLIC_URL: 'http://localhost:3000' });
  const webs: SiteProcess[] = [];
  const startWeb = (): SiteProcess => {
    const web = startProcess('server/main.ts', {
      DATABASE_URL: databaseUrl,
      HOST: '127.0.0.1',
      PORT: port,
      TRUST_PROXY: '127.0.0.0/8',
      RATE_LIMIT_CONTACT: '100000/10m',
    });
    webs.push(web);

    return web;
  };
  onTestFinished(async () => {
    await Promise.all([proxy.stop(), ...webs.map((web) => web.stop())]);
  });
  const waitUntilUp = () =>
    waitFor('the site', async () => (await requestRaw(proxy.plainUrl)).status === 200);

  return { proxy, startWeb, waitUntilUp, database: openDatabase(databaseUrl, onTestFinished) };
}

const getStatus = (response: Promise<{ readonly status: number }>): Promise<number | string> =>
  response.then(({ status }) => status, (error: Error) => error.message);

/** Sends raw bytes and returns everything received until the server closes the connection. */
async function sendBytes(url: string, bytes: string, { isEnded = false } = {}): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.setTimeout(60_000, () => socket.destroy(new Error('It never closed.')));
  await once(socket, 'connect');
  socket.write(bytes);
  if (isEnded) socket.end();
  const response = await buffer(socket);
  socket.destroy();

  return response.toString();
}

test('a request can’t be hidden in the body of another', async () => {
  const { proxy, startWeb, waitUntilUp } = await startSite();
  startWeb();
  await waitUntilUp();
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
  const { proxy, startWeb, waitUntilUp } = await startSite();
  startWeb();
  await waitUntilUp();
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

  // A client that continues to send after the refusal may lose the connection before it can read the response.
  const losses = ['write EPIPE', 'read ECONNRESET', 'write ECONNRESET'];
  expect(outcomes[0]).toBeOneOf([413, ...losses]);
  expect(outcomes[1]).toBeOneOf([411, ...losses]);
  expect((await readPeak()) - before).toBeLessThan(20 * MEGABYTE);
  expect((await requestRaw(proxy.plainUrl)).status).toBe(200);
});
