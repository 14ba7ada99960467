import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { MAX_BODY_BYTES } from '../../shared/contact/contact-schema.ts';
import { apiPaths, routePatterns } from '../../shared/paths.ts';
import { startWeb } from '../support/delivery-fixture.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';

const startSite = async () =>
  startWeb({ DATABASE_URL: await createMigratedDatabase(), RATE_LIMIT_CONTACT: '1000/10m' });

const HEADERS_LIMIT = 10_000;
const BODY_LIMIT = 15_000;
/** Milliseconds after a limit at which a connection may still be there: the check runs now and then. */
const SLACK = 4_000;

/** A connection that sends one byte a second until the site closes it; it doesn't close its own side. */
interface SlowSocket {
  /** Milliseconds it lived; undefined while it does. */
  lifetime: number | undefined;
}

function openSlowly(origin: string, start: string): SlowSocket {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const slow: SlowSocket = { lifetime: undefined };
  const startedAt = performance.now();
  socket.on('error', () => undefined);
  socket.write(start);
  const drip = setInterval(() => socket.write('x'), 1_000);
  socket.resume().once('close', () => {
    clearInterval(drip);
    slow.lifetime = performance.now() - startedAt;
  });

  return slow;
}

const SLOW_HEADERS = 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ';
const SLOW_BODY =
  `POST ${apiPaths.contactSubmissions} HTTP/1.1\r\nHost: localhost\r\n` +
  'Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n';

async function measureGet(origin: string): Promise<number> {
  const startedAt = performance.now();
  expect((await fetch(`${origin}/`)).status).toBe(200);

  return performance.now() - startedAt;
}

faultRow(46, '200 slow connections: a page takes less than 500 ms; slow headers end after 10 s, slow bodies after 15 s', async (chance) => {
  const { origin } = await startSite();
  await measureGet(origin);
  const headers = Array.from({ length: 100 }, () => openSlowly(origin, SLOW_HEADERS));
  const bodies = Array.from({ length: 100 }, () => openSlowly(origin, SLOW_BODY));
  await chance.letTimePass(3_000, 1_000);

  const times = [];
  for (let count = 0; count < 5; count += 1) times.push(await measureGet(origin));
  // One of them may have been slowed by other work of this machine.
  expect(Math.min(...times)).toBeLessThan(500);
  await waitFor('the slow ones to be dropped', () =>
    [...headers, ...bodies].every(({ lifetime }) => lifetime !== undefined),
  );

  for (const [sockets, limit] of [[headers, HEADERS_LIMIT], [bodies, BODY_LIMIT]] as const) {
    const lifetimes = sockets.map(({ lifetime = 0 }) => lifetime);
    expect(Math.min(...lifetimes)).toBeGreaterThan(limit - 1_000);
    expect(Math.max(...lifetimes)).toBeLessThan(limit + SLACK);
  }
  expect((await postContact(origin, makeContactBody())).status).toBe(201);
});

/** Opens connections that send half a request and no more, a hundred at a time, until the test ends. */
async function openHalfSent(origin: string, count: number): Promise<void> {
  const { hostname, port } = new URL(origin);
  for (let opened = 0; opened < count; opened += 100) {
    const sockets = Array.from({ length: 100 }, (_, index) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined).resume();
      onTestFinished(() => void socket.destroy());
      socket.write(index % 2 === 0 ? SLOW_HEADERS : SLOW_BODY);

      return new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    });
    await Promise.all(sockets);
  }
}

faultRow(75, '4,200 half-sent requests of one address, directly to web: visitors get their pages and their leads’ 201', async () => {
  const { origin } = await startSite();
  await measureGet(origin);
  await openHalfSent(origin, 4_200);

  const visits = Array.from({ length: 8 }, async () => {
    // No connection is from before the flood.
    const headers = { connection: 'close' };
    const page = await fetch(`${origin}/`, { headers });
    await page.arrayBuffer();
    const lead = await postContact(origin, makeContactBody());

    return [page.status, lead.status];
  });
  expect(await Promise.all(visits)).toEqual(visits.map(() => [200, 201]));
});

const HUGE = 10 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 'a');

/**
 * Sends as fast as it is taken; the response's status, or what ended the connection.
 * @param bytes how many of the 10 MiB it sends before it waits for the response
 */
function sendHuge(url: string, type: string, hasLength: boolean, bytes = HUGE): Promise<number | string> {
  return new Promise((resolve) => {
    const call = request(
      url,
      {
        method: 'POST',
        agent: false,
        headers: { 'content-type': type, ...(hasLength ? { 'content-length': HUGE } : {}) },
      },
      (response: IncomingMessage) => {
        resolve(response.statusCode ?? 0);
        call.destroy();
      },
    );
    call.on('error', (error) => resolve(error.message));
    let sent = 0;
    const send = () => {
      while (sent < bytes && !call.destroyed) {
        sent += CHUNK.length;
        if (!call.write(CHUNK)) return void call.once('drain', send);
      }
      if (bytes === HUGE) call.end();
    };
    send();
  });
}

async function readMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');

  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

const places = [
  [apiPaths.contactSubmissions, 'application/json'],
  [routePatterns.contact, 'application/x-www-form-urlencoded'],
] as const;

faultRow(47, 'Bodies of 10 MB, with and without their length: 413, memory stays flat', async () => {
  const { origin, pid } = await startSite();
  const sendEach = (bytes?: number) =>
    places.flatMap(([path, type]) =>
      [true, false].map((hasLength) => sendHuge(origin + path, type, hasLength, bytes)),
    );
  const flood = () => Promise.all(Array.from({ length: 10 }, () => sendEach()).flat());

  expect(await Promise.all(sendEach(4 * CHUNK.length))).toEqual([413, 413, 413, 413]);
  await flood();
  const before = await readMemory(pid);
  const responses = [...(await flood()), ...(await flood())];
  // A client that still sends when the connection closes may not get to read the response.
  expect(responses.filter((response) => typeof response === 'number' && response !== 413)).toEqual([]);
  expect((await readMemory(pid)) - before).toBeLessThan(64 * 1024 * 1024);
  const barelyTooLarge = makeContactBody({ message: 'a'.repeat(MAX_BODY_BYTES) });
  expect((await postContact(origin, barelyTooLarge)).status).toBe(413);
  expect((await postContact(origin, makeContactBody())).status).toBe(201);
});
