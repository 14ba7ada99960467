import { connect } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { apiPaths } from '../../shared/paths.ts';
import { makeContactBody } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { openWebServer, type OpenWeb } from '../support/open-site.ts';
import { openConnection } from '../support/raw-http.ts';
import { waitFor } from '../support/wait-for.ts';

let databaseUrl: string;
let web: OpenWeb;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  web = await openWebServer({ DATABASE_URL: databaseUrl });

  return web.stop;
});

const POST = `POST ${apiPaths.contactSubmissions} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
const NONSENSE = 'hello\r\n\r\n';

/** Sends a request that waits for PostgreSQL, and at once what follows. */
async function sendTogether(next: string) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const transaction = await database.transaction();
  onTestFinished(() => void (transaction.isCompleted() || transaction.rollback()));
  const body = makeContactBody();
  await transaction.raw('lock table contact_submissions in exclusive mode');
  const connection = await openConnection(web.origin);
  const json = JSON.stringify(body);
  connection.send(`${POST}Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}${next}`);
  await waitFor('the request to wait for its lock', async () => {
    const { rows } = await database.raw<{ rows: unknown[] }>(
      "select from pg_locks where not granted and relation = 'contact_submissions'::regclass",
    );

    return rows.length > 0;
  });
  await transaction.rollback();

  return connection;
}

test('a request that waits for PostgreSQL gets its 201, though nonsense follows, and the connection ends after it', async () => {
  const connection = await sendTogether(NONSENSE);
  await waitFor('the end of the connection', connection.isClosed);

  const statuses = [...connection.received().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
  expect(statuses).toEqual(['201']);
  expect(connection.received()).toMatch(/\r\nconnection: close\r\n/i);
});

test('a client that sends a request before it has the response to the one before is disconnected', async () => {
  const connection = await openConnection(web.origin);
  connection.send('GET /about HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(400));

  await waitFor('the end of the connection', connection.isClosed);
});

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
