import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assetsPrefix, apiPaths, pathTo, routePatterns } from '../shared/paths.ts';
import { articles } from '../tests/support/site-content.ts';
import { compareInTurns } from './compare.ts';
import { fetchAnswer } from './fetch-answer.ts';
import { startPinnedServer, type PinnedServer } from './pinned-process.ts';
import { productionSettings } from './production-settings.ts';
import { writeNumber, writeTable, type Cell } from './report.ts';
import { runPart } from './run-part.ts';
import { sendLoad } from './send-load.ts';

const WARM_UP_SECONDS = 1;
const SECONDS = 3;
const CONNECTIONS = 32;

const PLAIN = 'bench/baselines/plain-fastify.ts';
const RENDERING = 'bench/baselines/rendering-fastify.ts';

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

type Measured = Awaited<ReturnType<typeof measure>>;

/** A kind of answer, with the file that holds it. */
interface AnswerCopy extends Kind {
  readonly headers: Readonly<Record<string, string>>;
  readonly file: string;
  readonly bytes: number;
  readonly expectsRefusal: boolean;
}

async function copyAnswers(site: PinnedServer, folder: string): Promise<AnswerCopy[]> {
  const kinds = await listKinds(site);

  return Promise.all(
    kinds.map(async ({ name, path, ...kind }, index) => {
      const headers = { ...asVisitor, ...kind.headers };
      const answer = await fetchAnswer(site.origin + path, headers);
      const file = join(folder, `${index}.json`);
      await writeFile(file, JSON.stringify(answer));
      const bytes = Buffer.from(answer.body, 'base64').length;

      return { name, path, headers, file, bytes, expectsRefusal: answer.status >= 400 };
    }),
  );
}

/** Settings of the baseline that renders a page. */
const makeRendererSettings = (path: string) =>
  path === UNKNOWN ? { LOCATION: '/not-found', IS_NOT_FOUND: 'yes' } : { LOCATION: path };

/** A row of the table, with its targets; the renderer is the same for all encodings of a page. */
interface Comparison {
  readonly copy: AnswerCopy;
  readonly site: Target;
  readonly plain: Target;
  readonly renderer: Target | undefined;
}

/** Starts what is to be measured for one kind of answer after the other. */
async function startTargets(
  site: PinnedServer,
  copies: readonly AnswerCopy[],
  start: typeof startPinnedServer,
): Promise<Comparison[]> {
  const renderers = new Map<string, Target>();
  const comparisons: Comparison[] = [];
  for (const copy of copies) {
    const { path, headers, file, expectsRefusal } = copy;
    const server = await start([PLAIN], { ANSWER: file }, apiPaths.live);
    if (!renderers.has(path) && !path.startsWith(assetsPrefix)) {
      const renderer = await start([RENDERING], makeRendererSettings(path));
      const url = `${renderer.origin}/`;
      renderers.set(path, { url, server: renderer, headers: {}, expectsRefusal: false });
    }
    comparisons.push({
      copy,
      site: { url: site.origin + path, server: site, headers, expectsRefusal },
      plain: { url: `${server.origin}/`, server, headers, expectsRefusal },
      renderer: renderers.get(path),
    });
  }

  return comparisons;
}

function writeKindRow({ name, bytes }: AnswerCopy, site: Measured, plain: Measured, render?: Measured): Cell[] {
  return [
    ...[name, bytes / 1000],
    ...[site.rate, plain.rate, site.rate / plain.rate],
    ...[site.cpu, plain.cpu, render?.cpu ?? '–', render ? site.cpu / render.cpu : '–'],
    ...[site.p50, site.p99],
  ];
}

const HEAD = [
  ...['answer', 'kB', 'req/s', 'plain Fastify req/s', 'ratio'],
  ...['CPU ms', 'plain Fastify CPU ms', 'renderToString CPU ms', 'ratio', 'p50 ms', 'p99 ms'],
];

await runPart(['wrk'], async (atEnd) => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-answers-'));
  atEnd(() => rm(folder, { recursive: true }));
  const start: typeof startPinnedServer = async (...args) => {
    const server = await startPinnedServer(...args);
    atEnd(server.stop);

    return server;
  };
  const site = await start(['server/main.ts'], productionSettings, apiPaths.live);
  const copies = await copyAnswers(site, folder);
  const comparisons = await startTargets(site, copies, start);
  const [first] = comparisons;
  if (!first) throw new Error('There is nothing to compare.');
  const dressed = await start([PLAIN], { ANSWER: first.copy.file, IS_DRESSED: 'yes' }, apiPaths.live);
  const dressedTarget = { ...first.plain, url: `${dressed.origin}/`, server: dressed };

  const targets = new Set(comparisons.flatMap((row) => [row.site, row.plain, row.renderer ?? row.plain]));
  const list = [dressedTarget, ...targets];
  const medians = await compareInTurns(list, measure);
  const measured = new Map(list.map((target, index) => [target, medians[index]]));
  const rows = comparisons.flatMap(({ copy, site: own, plain, renderer }) => {
    const [ours, least] = [measured.get(own), measured.get(plain)];

    return ours && least ? [writeKindRow(copy, ours, least, renderer && measured.get(renderer))] : [];
  });
  const [dressedFigures, siteFigures] = [measured.get(dressedTarget), measured.get(first.site)];
  if (!dressedFigures || !siteFigures) throw new Error('Nothing was measured.');

  return {
    part: 'pages',
    packages: ['fastify', 'react', 'vite-plugin-ssr'],
    blocks: [
      `${CONNECTIONS} connections, ${SECONDS} s each after ${WARM_UP_SECONDS} s of warming up.`,
      writeTable(HEAD, rows),
      'A plain Fastify that also sends the headers of the site and writes its line into the log for each ' +
        `request makes ${writeNumber(dressedFigures.rate)} of the first answers a second, ` +
        `${writeNumber(dressedFigures.cpu)} ms each: the site has ` +
        `${writeNumber(siteFigures.rate / dressedFigures.rate)} of that rate.`,
    ],
  };
});
