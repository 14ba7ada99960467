import { fileURLToPath } from 'node:url';
import { apiPaths } from '../shared/paths.ts';
import { makeContactBody } from '../tests/support/contact-request.ts';
import { startPinnedServer, type Environment } from './pinned-process.ts';

/** The line that `tell-queries.ts` writes. */
export const QUERY_MARK = 'query';

const teller = fileURLToPath(new URL('baselines/tell-queries.ts', import.meta.url));

/** One after the other, so that all of them use one connection, which the first opens. */
const COUNTED_REQUESTS = 10;

async function postOne(origin: string): Promise<void> {
  const response = await fetch(origin + apiPaths.contactSubmissions, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(makeContactBody({ spam: { honeypot: '', filled_in_ms: 45_000 } })),
  });
  if (response.status !== 201) throw new Error(`A request was answered ${response.status}.`);
}

/**
 * Statements a server sends to PostgreSQL for one contact request, begin and commit among them.
 * @param args entry file of the server, maybe with arguments
 * @throws when that is no whole number, or none
 */
export async function countQueries(args: readonly string[], settings: Environment): Promise<number> {
  const server = await startPinnedServer(['--import', teller, ...args], settings);
  try {
    const countLines = () =>
      server.output().split('\n').filter((line) => line === QUERY_MARK).length;
    await postOne(server.origin);
    const before = countLines();
    for (let count = 0; count < COUNTED_REQUESTS; count += 1) await postOne(server.origin);
    const perRequest = (countLines() - before) / COUNTED_REQUESTS;
    if (!Number.isInteger(perRequest) || perRequest === 0) throw new Error(`${perRequest} queries a request?`);

    return perRequest;
  } finally {
    await server.stop();
  }
}
