import { apiPaths } from '../shared/paths.ts';
import { makeContactBody } from '../tests/support/contact-request.ts';
import { readQueries, tellQueries } from '../tests/support/read-queries.ts';
import { startPinnedServer, type Environment } from './pinned-process.ts';

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
  const server = await startPinnedServer([...tellQueries, ...args], settings);
  try {
    const count = () => readQueries(server.output()).length;
    await postOne(server.origin);
    const before = count();
    for (let posted = 0; posted < COUNTED_REQUESTS; posted += 1) await postOne(server.origin);
    const perRequest = (count() - before) / COUNTED_REQUESTS;
    if (!Number.isInteger(perRequest) || perRequest === 0) throw new Error(`${perRequest} queries a request?`);

    return perRequest;
  } finally {
    await server.stop();
  }
}
