import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { apiPaths, routePatterns } from '../shared/paths.ts';
import { compareInTurns } from './compare.ts';
import { measureLoad, type LoadFigures } from './measure-load.ts';
import type { PinnedServer } from './pinned-process.ts';
import { writeNumber, writeTable, type Cell } from './report.ts';
import { sendArrivals } from './send-arrivals.ts';

const CONNECTIONS = [10, 100, 1_000] as const;
const SECONDS = 8;

/** Pages a second, as from as many visitors who know nothing of each other. */
const ARRIVALS = [10, 100] as const;
const ARRIVAL_SECONDS = 15;
const IDLE_CONNECTIONS = 1_000;

const targets = [
  { what: 'kept page, brotli', path: routePatterns.home, headers: { 'accept-encoding': 'br' } },
  { what: 'POST', path: apiPaths.contactSubmissions, script: 'wrk-contact.lua' },
] as const;

/** What came of a load: only what wasn't refused counts, and bears the cost of what was. */
const writeVisitorRow = (name: string, { perSecond, cpuMs, p50, p99, refused }: LoadFigures): Cell[] => {
  const taken = 1 - refused / 100;

  return [name, perSecond * taken, cpuMs / taken, p50, p99, refused];
};

async function measureConnections(server: PinnedServer): Promise<string> {
  const rows: Cell[][] = [];
  for (const { what, path, ...load } of targets) {
    const figures = await compareInTurns(CONNECTIONS, (connections) =>
      measureLoad(server, {
        ...load,
        url: server.origin + path,
        seconds: SECONDS,
        connections,
        mayBeRefused: true,
      }),
    );
    for (const [index, each] of figures.entries()) {
      rows.push(writeVisitorRow(`${what}, ${CONNECTIONS[index] ?? 0} connections`, each));
    }
  }

  return writeTable(['', 'taken/s', 'CPU ms each', 'p50 ms', 'p99 ms', 'refused %'], rows);
}

async function measureArrivals({ origin }: PinnedServer): Promise<string> {
  const figures = await compareInTurns(ARRIVALS, (perSecond) =>
    sendArrivals({ origin, perSecond, seconds: ARRIVAL_SECONDS, paths: [routePatterns.home] }),
  );

  return writeTable(
    ['arrivals', 'p50 ms', 'p99 ms'],
    figures.map(({ p50, p99 }, index) => [`${ARRIVALS[index] ?? 0} pages/s`, p50, p99]),
  );
}

/** Opens a connection, gets one answer over it, and leaves it open. */
async function keepAlive({ origin }: PinnedServer): Promise<Socket> {
  const { hostname, port, host } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /health/live HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await once(socket, 'data');

  return socket;
}

async function measureIdleConnections(server: PinnedServer): Promise<string> {
  const before = await server.readMemoryMib();
  const sockets: Socket[] = [];
  for (let count = 0; count < IDLE_CONNECTIONS; count += 1) sockets.push(await keepAlive(server));
  const kib = ((await server.readMemoryMib()) - before) * 1024;
  for (const socket of sockets) socket.destroy();

  return (
    `${IDLE_CONNECTIONS} connections kept open after an answer take ` +
    `${(kib / IDLE_CONNECTIONS).toFixed(1)} KiB each.`
  );
}

/**
 * Measures a site under more and more visitors: connections that ask without a pause, arrivals at a
 * fixed rate, and connections that only stay open.
 * @returns tables and a sentence, in Markdown
 */
export async function measureVisitorGrowth(server: PinnedServer): Promise<string[]> {
  // First, while its memory is that of a start.
  const idle = await measureIdleConnections(server);

  const tables = [await measureConnections(server), await measureArrivals(server)];
  const memory = `After all of it the process has ${writeNumber(await server.readMemoryMib())} MiB.`;

  return [...tables, idle, memory];
}
