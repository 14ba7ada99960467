import { connect } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { apiPaths } from '../../shared/paths.ts';
import { startWeb } from '../support/delivery-fixture.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { faultRow } from './fault-row.ts';

const SLOW_HEADERS = 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ';
const SLOW_BODY =
  `POST ${apiPaths.contactSubmissions} HTTP/1.1\r\nHost: localhost\r\n` +
  'Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n';

/** Opens connections, a hundred at a time, that send only half a request and stay open until the test ends. */
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

faultRow(75, '4,200 half-sent requests from one address, without the proxy: web still serves pages and accepts requests', async () => {
  const { origin } = await startWeb({ DATABASE_URL: await createMigratedDatabase(), RATE_LIMIT_CONTACT: '1000/10m' });
  await openHalfSent(origin, 4_200);

  const visits = Array.from({ length: 8 }, async () => {
    // Visitors don't have connections from before the flood.
    const headers = { connection: 'close' };
    const page = await fetch(`${origin}/`, { headers });
    await page.arrayBuffer();
    const lead = await postContact(origin, makeContactBody());

    return [page.status, lead.status];
  });
  expect(await Promise.all(visits)).toEqual(visits.map(() => [200, 201]));
});
