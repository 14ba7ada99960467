import { expect, test } from 'vitest';
import { apiPaths } from '../../shared/paths.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { startWeb } from '../support/delivery-fixture.ts';
import { openConnection } from '../support/raw-http.ts';
import { waitFor } from '../support/wait-for.ts';

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const FIRST_HALF =
  'POST /api/contact-submissions HTTP/1.1\r\nHost: localhost\r\n' +
  'Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"na';
const SECOND_HALF = 'me":1}';

test('after SIGTERM, web finishes requests in progress, reports that it is not ready, and closes idle connections', async () => {
  const web = await startWeb({ DATABASE_URL: await createMigratedDatabase() });
  const [kept, half, visitor, probe, silent] = await Promise.all(
    Array.from({ length: 5 }, () => openConnection(web.origin)),
  );
  if (!kept || !half || !visitor || !probe || !silent) throw new Error('Five connections were opened.');
  for (const connection of [kept, half]) {
    connection.send(request('/about'));
    expect(await connection.receive('</html>')).toContain('Connection: keep-alive');
  }
  half.send(FIRST_HALF);

  const startedAt = performance.now();
  const exit = web.stop();
  await waitFor('the shutdown to begin', () => web.output().includes('Shutting down.'));
  visitor.send(request('/about'));
  probe.send(request(apiPaths.ready));
  const page = await visitor.receive('</html>');
  const readiness = await probe.receive('"status"');
  half.send(SECOND_HALF);
  const [, response = ''] = (await half.receive('invalid-fields')).split('</html>');

  for (const [received, status] of [
    [page, 200],
    [readiness, 503],
    [response, 400],
  ] as const) {
    const [head = ''] = received.split('\r\n\r\n', 1);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/\r\nconnection: close\r\n/i);
  }
  expect(readiness).toContain('"not-ready"');
  expect(await exit).toBe(0);
  // The process ends long before its 25-second deadline, although three clients never closed their connections.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await waitFor('all connections to be closed', () => [kept, half, visitor, probe, silent].every((each) => each.isClosed()));
});
