import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { apiPaths, routePatterns } from '../../shared/paths.ts';
import type { BenchmarkContext } from '../harness/benchmark.ts';
import { runInterleaved } from '../harness/compare.ts';
import { measureLoad, sendArrivals, type LoadResults } from '../harness/load.ts';
import type { PinnedServer } from '../harness/pinned-process.ts';
import { formatNumber, formatTable, type Cell } from '../harness/report.ts';

const CONNECTIONS = [10, 100, 1_000] as const;
const IDLE_CONNECTIONS = 1_000;
/** Pages a second. */
const ARRIVALS = [10, 100] as const;

const loads = [
  { what: 'cached page, brotli', path: routePatterns.home, headers: { 'accept-encoding': 'br' } },
  { what: 'POST', path: apiPaths.contactSubmissions, isContact: true },
] as const;

/** Only accepted requests count; they bear the cost of the refused ones. */
function makeRow(name: string, { perSecond, cpuMs, p50, p99, errorPercent }: LoadResults): Cell[] {
  const accepted = 1 - errorPercent / 100;

  return [name, perSecond * accepted, cpuMs / accepted, p50, p99, errorPercent];
}

async function measureConnections(server: PinnedServer, { isQuick, runs }: BenchmarkContext): Promise<string> {
  const rows: Cell[][] = [];
  for (const { what, path, ...load } of loads) {
    const options = { ...load, url: server.origin + path, seconds: isQuick ? 4 : 8, errors: 'some' } as const;
    const results = await runInterleaved(
      CONNECTIONS,
      (connections) => measureLoad(server, { ...options, connections }),
      runs,
    );
    for (const [index, each] of results.entries()) {
      rows.push(makeRow(`${what}, ${CONNECTIONS[index] ?? 0} connections`, each));
    }
  }

  return formatTable(['', 'accepted/s', 'CPU ms each', 'p50 ms', 'p99 ms', 'refused %'], rows);
}

async function measureArrivals({ origin }: PinnedServer, { isQuick, runs }: BenchmarkContext): Promise<string> {
  const options = { origin, seconds: isQuick ? 2 : 15, paths: [routePatterns.home] };
  const results = await runInterleaved(ARRIVALS, (perSecond) => sendArrivals({ ...options, perSecond }), runs);

  return formatTable(
    ['arrivals', 'p50 ms', 'p99 ms'],
    results.map(({ p50, p99 }, index) => [`${ARRIVALS[index] ?? 0} pages/s`, p50, p99]),
  );
}

/** Opens a connection, gets one response over it and keeps it open. */
async function keepAlive({ origin }: PinnedServer): Promise<Socket> {
  const { hostname, port, host } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${apiPaths.live} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await once(socket, 'data');

  return socket;
}

async function measureIdleConnections(server: PinnedServer): Promise<string> {
  const before = await server.readMemoryMib();
  const sockets: Socket[] = [];
  for (let count = 0; count < IDLE_CONNECTIONS; count += 1) sockets.push(await keepAlive(server));
  const kib = ((await server.readMemoryMib()) - before) * 1024;
  for (const socket of sockets) socket.destroy();

  return `${IDLE_CONNECTIONS} idle keep-alive connections take ${formatNumber(kib / IDLE_CONNECTIONS)} KiB each.`;
}

/**
 * Measures a site under closed loops of more and more connections, arrivals at a constant rate, and
 * idle connections.
 * @returns tables and sentences, in Markdown
 */
export async function measureVisitorGrowth(server: PinnedServer, context: BenchmarkContext): Promise<string[]> {
  // First, while the memory is that of a start.
  const idle = await measureIdleConnections(server);

  return [
    await measureConnections(server, context),
    await measureArrivals(server, context),
    idle,
    `After the load the site has ${formatNumber(await server.readMemoryMib())} MiB.`,
  ];
}
