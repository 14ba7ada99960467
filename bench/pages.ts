import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assetsPrefix, apiPaths, pathTo, routePatterns } from '../shared/paths.ts';
import { articles } from '../tests/support/site-content.ts';
import { compareInTurns } from './compare.ts';
import { fetchAnswer } from './fetch-answer.ts';
import { startPinnedServer, type PinnedServer } from './pinned-process.ts';
import { productionSettings } from './production-settings.ts';
import { type Cell, writeTable } from './report.ts';
import { runPart } from './run-part.ts';
import { sendLoad } from './send-load.ts';

const WARM_UP_SECONDS = 2;
const SECONDS = 8;
const CONNECTIONS = 32;

/** The page behind a search: the only GET that is rendered for each request. */
const UNCACHED = `${routePatterns.insights}?q=ai`;
const UNKNOWN = '/no-such-page';

/** One kind of answer of the site. */
interface Kind {
  readonly name: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One server to be asked for one thing. */
interface Target {
  readonly url: string;
  readonly server: PinnedServer;
  readonly headers: Readonly<Record<string, string>>;
  readonly expectsRefusal: boolean;
}

/** As visitors ask it: under its own address. wrk adds another Host to one that is spelt otherwise. */
const asVisitor = { Host: new URL(productionSettings['PUBLIC_URL'] ?? '').host };
const brotli = { 'accept-encoding': 'gzip, deflate, br, zstd' };

/** The first file of a kind that a document names. @throws when it names none */
function findAsset(document: string, kind: RegExp): string {
  const [, url] = kind.exec(document) ?? [];
  if (url === undefined) throw new Error(`The document names nothing like ${String(kind)}.`);

  return url;
}

async function listKinds(site: PinnedServer): Promise<Kind[]> {
  const { headers } = await fetchAnswer(site.origin, brotli);
  const document = await fetch(site.origin).then((answer) => answer.text());
  const article = pathTo.article(articles[0]?.slug ?? '');

  return [
    { name: 'kept, brotli', path: '/', headers: brotli },
    { name: 'kept, gzip', path: '/', headers: { 'accept-encoding': 'gzip' } },
    { name: 'kept, identity', path: '/' },
    { name: 'kept, 304', path: '/', headers: { ...brotli, 'if-none-match': headers['etag'] ?? '' } },
    { name: 'kept article, brotli', path: article, headers: brotli },
    { name: 'kept listing, brotli', path: routePatterns.insights, headers: brotli },
    { name: 'not found, brotli', path: UNKNOWN, headers: brotli },
    { name: 'rendered anew', path: UNCACHED, headers: brotli },
    { name: 'script, brotli', path: findAsset(document, /scripts":\["([^"]+)"/), headers: brotli },
    { name: 'picture', path: findAsset(document, /(\/assets\/[^\s"]+\.avif)/), headers: brotli },
  ];
}

async function measure({ url, server, headers, expectsRefusal }: Target) {
  const load = { url, headers, expectsRefusal, connections: CONNECTIONS };
  await sendLoad({ ...load, seconds: WARM_UP_SECONDS });
  const before = await server.readCpuMs();
  const { requests, ms, p50, p99 } = await sendLoad({ ...load, seconds: SECONDS });
  const cpu = (await server.readCpuMs()) - before;

  return { rate: requests / (ms / 1000), cpu: cpu / requests, p50, p99 };
}

/** Pages that the baseline renders, by the path of what is compared with it. */
function makeRendererSettings(path: string) {
  return path === UNKNOWN ? { LOCATION: '/not-found', IS_NOT_FOUND: 'yes' } : { LOCATION: path };
}

type Measured = Awaited<ReturnType<typeof measure>>;

function writeKindRow(name: string, bytes: number, site: Measured, plain: Measured, render?: Measured): Cell[] {
  return [
    ...[name, bytes / 1000],
    ...[site.rate, plain.rate, site.rate / plain.rate],
    ...[site.cpu, plain.cpu, render?.cpu ?? '–', render ? `1/${Math.round(render.cpu / site.cpu)}` : '–'],
    ...[site.p50, site.p99],
  ];
}

await runPart(['wrk'], async (atEnd) => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-answers-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  const start = async (...args: Parameters<typeof startPinnedServer>) => {
    const server = await startPinnedServer(...args);
    atEnd(server.stop);

    return server;
  };
  const site = await start(['server/main.ts'], productionSettings, apiPaths.live);

  const kinds = await Promise.all(
    (await listKinds(site)).map(async ({ name, path, ...kind }, index) => {
      const headers = { ...asVisitor, ...kind.headers };
      const answer = await fetchAnswer(site.origin + path, headers);
      const file = join(folder, `${index}.json`);
      writeFileSync(file, JSON.stringify(answer));
      const bytes = Buffer.from(answer.body, 'base64').length;

      return { name, path, headers, file, bytes, expectsRefusal: answer.status >= 400 };
    }),
  );
  const targets: Target[] = [];
  for (const { path, headers, file, expectsRefusal } of kinds) {
    const plain = await start(['bench/baselines/plain-fastify.ts'], { ANSWER: file }, '/health/live');
    const common = { headers, expectsRefusal };
    targets.push({ ...common, url: site.origin + path, server: site });
    targets.push({ ...common, url: `${plain.origin}/`, server: plain });
  }
  const renderedPaths = [...new Set(kinds.map(({ path }) => path))].filter(
    (path) => !path.startsWith(assetsPrefix),
  );
  for (const path of renderedPaths) {
    const server = await start(['bench/baselines/rendering-fastify.ts'], makeRendererSettings(path));
    targets.push({ url: `${server.origin}/`, server, headers: {}, expectsRefusal: false });
  }

  const measured = await compareInTurns(targets, measure);
  const rendered = new Map(
    renderedPaths.map((path, index) => [path, measured[kinds.length * 2 + index]]),
  );
  const rows = kinds.flatMap(({ name, path, bytes }, index) => {
    const [own, plain] = measured.slice(index * 2, index * 2 + 2);

    return own && plain ? [writeKindRow(name, bytes, own, plain, rendered.get(path))] : [];
  });

  return {
    part: 'pages',
    packages: ['fastify', 'react', 'vite-plugin-ssr'],
    blocks: [
      `${CONNECTIONS} connections, ${SECONDS} s each after ${WARM_UP_SECONDS} s of warming up.`,
      writeTable(
        ['answer', 'kB', 'req/s', 'plain Fastify req/s', 'ratio', 'CPU ms', 'plain Fastify CPU ms', 'renderToString CPU ms', 'ratio', 'p50 ms', 'p99 ms'],
        rows,
      ),
    ],
  };
});
