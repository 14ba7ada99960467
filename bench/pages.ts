import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assetsPrefix, apiPaths, pathTo, routePatterns } from '../shared/paths.ts';
import { articles } from '../tests/support/site-content.ts';
import { compareInTurns } from './compare.ts';
import { fetchAnswer, type KeptAnswer } from './fetch-answer.ts';
import { readImageEnvironment } from './image-environment.ts';
import { measureLoad, type LoadFigures } from './measure-load.ts';
import { startPinnedServer, type Environment, type PinnedServer } from './pinned-process.ts';
import { productionSettings } from './production-settings.ts';
import { writeNumber, writeTable, type Cell } from './report.ts';
import { runPart } from './run-part.ts';

const SECONDS = 3;
const CONNECTIONS = 32;

const PLAIN = 'bench/baselines/plain-fastify.ts';
const RENDERING = 'bench/baselines/rendering-fastify.ts';

/** The page behind a search, which is rendered for each request. */
const UNCACHED = `${routePatterns.insights}?q=ai`;
const UNKNOWN = '/no-such-page';

/** Of each server measured: how much memory it may take decides what rendering costs. */
const imageEnvironment = readImageEnvironment();

/** One kind of answer of the site. */
interface Kind {
  readonly name: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the answer has to be, 200 where nothing is said, and how it has to be compressed. */
  readonly status?: number;
  readonly encoding?: string;
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
const brotli = { headers: { 'accept-encoding': 'gzip, deflate, br, zstd' }, encoding: 'br' };

/** The first file of a kind that a document names. @throws when it names none */
function findAsset(document: string, kind: RegExp): string {
  const [, url] = kind.exec(document) ?? [];
  if (url === undefined) throw new Error(`The document names nothing like ${String(kind)}.`);

  return url;
}

async function listKinds(site: PinnedServer): Promise<Kind[]> {
  const { etag = '' } = (await fetchAnswer(site.origin, brotli.headers)).headers;
  const document = await fetch(site.origin).then((answer) => answer.text());
  const article = pathTo.article(articles[0]?.slug ?? '');

  return [
    { name: 'kept, brotli', path: '/', ...brotli },
    { name: 'kept, gzip', path: '/', headers: { 'accept-encoding': 'gzip' }, encoding: 'gzip' },
    { name: 'kept, identity', path: '/' },
    { name: 'kept, 304', path: '/', headers: { ...brotli.headers, 'if-none-match': etag }, status: 304 },
    { name: 'kept article, brotli', path: article, ...brotli },
    { name: 'kept listing, brotli', path: routePatterns.insights, ...brotli },
    { name: 'not found, brotli', path: UNKNOWN, ...brotli, status: 404 },
    { name: 'rendered anew', path: UNCACHED, headers: brotli.headers },
    { name: 'script, brotli', path: findAsset(document, /scripts":\["([^"]+)"/), ...brotli },
    { name: 'picture', path: findAsset(document, /(\/assets\/[^\s"]+\.avif)/), headers: brotli.headers },
  ];
}

const measure = ({ url, server, headers, expectsRefusal }: Target) =>
  measureLoad(server, { url, headers, expectsRefusal, connections: CONNECTIONS, seconds: SECONDS });

/** What a kind of answer is measured by has to be that kind. @throws when it isn't */
function checkAnswer({ name, status = 200, encoding }: Kind, answer: KeptAnswer): void {
  if (answer.status === status && answer.headers['content-encoding'] === encoding) return;
  throw new Error(`${name} was answered with ${JSON.stringify([answer.status, answer.headers])}.`);
}

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
    kinds.map(async (kind, index) => {
      const { name, path } = kind;
      const headers = { ...asVisitor, ...kind.headers };
      const answer = await fetchAnswer(site.origin + path, headers);
      checkAnswer(kind, answer);
      const file = join(folder, `${index}.json`);
      await writeFile(file, JSON.stringify(answer));
      const bytes = Buffer.from(answer.body, 'base64').length;

      return { name, path, headers, file, bytes, expectsRefusal: answer.status >= 400 };
    }),
  );
}

/** Settings of the baseline that renders a page. */
const makeRendererSettings = (path: string): Environment => ({
  ...imageEnvironment,
  ...(path === UNKNOWN ? { LOCATION: '/not-found', IS_NOT_FOUND: 'yes' } : { LOCATION: path }),
});

/** A page rendered by the baseline has to be the site's. @throws when it isn't */
async function checkRenderer(site: PinnedServer, path: string, renderer: PinnedServer): Promise<void> {
  const [own, other] = await Promise.all(
    [site.origin + path, renderer.origin].map((url) => fetch(url).then((answer) => answer.text())),
  );
  if (own !== other) throw new Error(`The baseline renders another document for ${path}.`);
}

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
    const server = await start([PLAIN], { ...imageEnvironment, ANSWER: file }, apiPaths.live);
    if (!renderers.has(path) && !path.startsWith(assetsPrefix)) {
      const renderer = await start([RENDERING], makeRendererSettings(path));
      await checkRenderer(site, path, renderer);
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

function writeKindRow(
  { name, bytes }: AnswerCopy,
  site: LoadFigures,
  plain: LoadFigures,
  render?: LoadFigures,
): Cell[] {
  return [
    ...[name, bytes / 1000],
    ...[site.perSecond, plain.perSecond, site.perSecond / plain.perSecond],
    ...[site.cpuMs, plain.cpuMs, site.cpuMs / plain.cpuMs],
    ...[render?.cpuMs ?? '–', render ? site.cpuMs / render.cpuMs : '–'],
    ...[site.p50, site.p99],
  ];
}

const HEAD = [
  ...['answer', 'kB', 'req/s', 'plain Fastify req/s', 'of its rate'],
  ...['CPU ms', 'plain Fastify CPU ms', 'times it', 'renderToString CPU ms', 'times it'],
  ...['p50 ms', 'p99 ms'],
];

/** Memory of the servers after all that load. */
async function describeMemory(site: PinnedServer, first: Comparison): Promise<string> {
  const servers = [site, first.plain.server, first.renderer?.server];
  const memory = await Promise.all(servers.map(async (server) => (await server?.readMemoryMib()) ?? NaN));
  const [own, plain, renderer] = memory.map(writeNumber);

  return (
    `After all of it the site’s process has ${own} MiB, a plain Fastify with one answer ${plain}, and ` +
    `one that renders one page ${renderer}.`
  );
}

/** The rows of the table, and beside the first a plain Fastify with the site's headers and log. */
async function compareAll(comparisons: readonly Comparison[], dressed: Target) {
  const targets = new Set(comparisons.flatMap((row) => [row.site, row.plain, row.renderer ?? row.plain]));
  const list = [dressed, ...targets];
  const medians = await compareInTurns(list, measure);
  const measured = new Map(list.map((target, index) => [target, medians[index]]));
  const rows = comparisons.flatMap(({ copy, site, plain, renderer }) => {
    const [ours, least] = [measured.get(site), measured.get(plain)];

    return ours && least ? [writeKindRow(copy, ours, least, renderer && measured.get(renderer))] : [];
  });
  const [first, beside] = [comparisons[0], measured.get(dressed)];
  const siteFigures = first && measured.get(first.site);
  if (!beside || !siteFigures) throw new Error('Nothing was measured.');

  return {
    rows,
    dressed:
      'A plain Fastify that also sends the headers of the site and writes its line into the log for each ' +
      `request makes ${writeNumber(beside.perSecond)} of the first answers a second, ` +
      `${writeNumber(beside.cpuMs)} ms each: the site has ` +
      `${writeNumber(siteFigures.perSecond / beside.perSecond)} of that rate.`,
  };
}

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
  const server = await start(
    [PLAIN],
    { ...imageEnvironment, ANSWER: first.copy.file, IS_DRESSED: 'yes' },
    apiPaths.live,
  );
  const url = `${server.origin}/`;
  const { rows, dressed } = await compareAll(comparisons, { ...first.plain, url, server });

  return {
    part: 'pages',
    packages: ['fastify', 'react', 'vite-plugin-ssr'],
    blocks: [
      `${CONNECTIONS} connections, ${SECONDS} s each after a warm-up. All servers have what the image sets for ` +
        'its processes.',
      writeTable(HEAD, rows),
      dressed,
      await describeMemory(site, first),
    ],
  };
});
