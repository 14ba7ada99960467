import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiPaths } from '../shared/paths.ts';
import { ensureBuilt } from './build.ts';
import { contentFolder, writeContent } from './content/load-content.ts';
import { listFiles } from './content/site-paths.ts';
import { createPostgresServer, type PostgresServer } from './embedded-postgres.ts';
import { isPortFree } from './free-port.ts';
import { tryLock } from './lock.mjs';
import { openProcessLog } from './process-log.ts';
import { startProcess, type GuardedProcess } from './processes.ts';
import { showStep } from './progress.mjs';
import {
  buildSiteEnvironment,
  dataRoot,
  describeSite,
  publishSettings,
  readPort,
  SITE_LOCK,
} from './site-environment.ts';

const READY_TIMEOUT_MS = 120_000;
/** How long to wait for a killed site's processes to exit. */
const PORT_TIMEOUT_MS = 5_000;
/** Signals within this time count as one Ctrl-C, because the terminal and npm each send one. */
const ONE_REQUEST_MS = 1_000;

/** Content folder for development. The content in dist belongs to the build there. */
const developmentFolder = join(dataRoot, 'development');

/** How often to check the owner's folder for changes. */
const CONTENT_INTERVAL_MS = 500;

/** Whether to run the sources and restart on changes, instead of running a build. */
const isDevelopment = process.argv.includes('--dev');
const programs = isDevelopment
  ? { web: ['--watch', '--watch-preserve-output', 'server/dev.ts'], worker: ['--watch', '--watch-preserve-output', 'jobs/main.ts'] }
  : { web: ['server/main.ts'], worker: ['jobs/main.ts'] };

interface StopRequest {
  readonly stop: AbortSignal;
  /** Never resolves. Rejects on the first stop signal. */
  readonly stopped: Promise<never>;
}

/** The first SIGINT, SIGTERM or SIGHUP aborts `stop`. A later one ends this process; its guards stop the children. */
function listenForStop(): StopRequest {
  const stop = new AbortController();
  const stopped = new Promise<never>((_resolve, reject) => {
    stop.signal.addEventListener('abort', () => reject(new Error('stopped')));
  });
  // Without a listener a rejection would end the process.
  stopped.catch(() => undefined);
  let firstAt = 0;
  const request = (): void => {
    if (stop.signal.aborted) {
      if (performance.now() - firstAt > ONE_REQUEST_MS) process.exit(1);
      return;
    }
    firstAt = performance.now();
    console.error('Stopping …');
    stop.abort();
  };
  // A closed terminal must not break the shutdown.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request);

  return { stop: stop.signal, stopped };
}

/** Locks this folder's data while this process runs, and waits until the port is free. @throws after five seconds */
async function claimSite(port: number): Promise<void> {
  const host = process.env.HOST?.trim() || '0.0.0.0';
  let hasLock = false;
  for (const deadline = Date.now() + PORT_TIMEOUT_MS; ; await sleep(200)) {
    hasLock ||= (await tryLock(SITE_LOCK)) !== undefined;
    if (hasLock && (await isPortFree(port, host))) return;
    if (Date.now() < deadline) continue;
    throw new Error(
      hasLock ? `Port ${port} is in use. Stop the program that uses it, or set another PORT.` : 'A site is already running in this folder. Stop it first.',
    );
  }
}

async function waitUntilReady(port: number, { stop }: StopRequest): Promise<void> {
  const host = process.env.HOST?.trim() || '0.0.0.0';
  const local = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const url = `http://${local.includes(':') ? `[${local}]` : local}:${port}${apiPaths.ready}`;
  const isReady = () => fetch(url, { signal: AbortSignal.timeout(5_000) }).then(({ ok }) => ok, () => false);
  for (const deadline = Date.now() + READY_TIMEOUT_MS; !(await isReady()); await sleep(100)) {
    stop.throwIfAborted();
    if (Date.now() > deadline) {
      throw new Error(`The site was not ready within ${READY_TIMEOUT_MS / 1000} seconds.`);
    }
  }
}

async function runProcesses(
  database: PostgresServer,
  running: GuardedProcess[],
  request: StopRequest,
): Promise<never> {
  const port = readPort();
  const env = await buildSiteEnvironment(isDevelopment ? 'development' : 'production', port, database.url);
  if (isDevelopment) env.SITE_BUILD = developmentFolder;
  const logs = join(dataRoot, 'log');
  const start = (name: string, args: readonly string[], environment = env): GuardedProcess => {
    const onLine = openProcessLog(name, join(logs, `${name}.log`));
    const started = startProcess(process.execPath, args, { name, env: environment, onLine });
    running.push(started);
    return started;
  };
  const failOnExit = async ({ name, exited }: GuardedProcess): Promise<never> => {
    throw new Error(`The ${name} process exited unexpectedly: ${await exited}. Its log: ${join(logs, `${name}.log`)}`);
  };
  const migration = await showStep('Migrating the database', async () =>
    Promise.race([start('migration', ['migrations/main.ts']).exited, request.stopped]),
  );
  if (migration !== 'exit code 0') throw new Error(`The migration failed: ${migration}.`);

  const stopOrFailure = Promise.race([
    failOnExit(start('web', programs.web)),
    // Only web has a metrics server, since both would use the same port.
    failOnExit(start('worker', programs.worker, { ...env, METRICS_PORT: '' })),
    request.stopped,
  ]);
  await showStep('Starting web and worker', () => Promise.race([waitUntilReady(port, request), stopOrFailure]));
  if (isDevelopment) void watchContent();
  const unpublish = await publishSettings(env);
  console.log(describeSite(env, { database: database.installation.folder, logs }));
  return stopOrFailure.finally(unpublish);
}

/** Returns a fingerprint of the owner's folder. `fs.watch` misses files that an editor replaces. */
const describeContent = (): string =>
  listFiles(contentFolder)
    .map((file) => `${file} ${statSync(join(contentFolder, file), { throwIfNoEntry: false })?.mtimeMs}`)
    .join('\n');

/** Rebuilds content when the owner's files change. Web and worker restart to load it. */
async function watchContent(): Promise<never> {
  for (let seen = describeContent(); ; await sleep(CONTENT_INTERVAL_MS)) {
    const found = describeContent();
    if (found === seen) continue;
    seen = found;
    await writeContent(developmentFolder).catch((error: unknown) => console.error(error instanceof Error ? error.message : error));
  }
}

async function runWithServers(request: StopRequest): Promise<void> {
  const running: GuardedProcess[] = [];
  const database = await createPostgresServer({ dataFolder: join(dataRoot, 'postgres') });
  try {
    await showStep('Starting PostgreSQL', () => database.start());
    request.stop.throwIfAborted();
    await runProcesses(database, running, request);
  } finally {
    await Promise.all(running.map((process) => process.stop()));
    await database.stop('fast');
  }
}

/** Runs PostgreSQL, migrations, web and worker until a signal. Exits with 1 after a failure. */
let request: StopRequest | undefined;
try {
  await claimSite(readPort());
  await (isDevelopment ? writeContent(developmentFolder) : ensureBuilt());
  request = listenForStop();
  await runWithServers(request);
} catch (error) {
  if (request?.stop.aborted) process.exit(0);
  console.error(error instanceof Error ? error.message : error);
}
process.exit(1);
