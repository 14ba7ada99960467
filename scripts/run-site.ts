import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiPaths } from '../shared/paths.ts';
import { isPortFree } from './free-port.ts';
import { createPostgresServer } from './embedded-postgres.ts';
import type { PostgresServer } from './embedded-postgres.ts';
import { startLocalRedis, type LocalRedis } from './local-redis.ts';
import { tryLock } from './lock.mjs';
import { findProgram } from './prerequisites.ts';
import { openProcessLog } from './process-log.ts';
import { startSiteProcess, untilAborted, type GuardedProcess } from './processes.ts';
import { printLines, showStep } from './progress.mjs';
import {
  buildSiteEnvironment,
  buildWorkerEnvironment,
  dataRoot,
  describeSite,
  isSet,
  publishSettings,
  readLocalHost,
  readPort,
  type FileFolders,
} from './site-environment.ts';

const READY_TIMEOUT_MS = 120_000;
/** A killed demo's web process gets this long to release the port. */
const PORT_TIMEOUT_MS = 5_000;
/**
 * Within this time further signals belong to the same Ctrl-C: the terminal sends one to every process of
 * the group, and npm and setup.mjs forward theirs as well.
 */
const ONE_REQUEST_MS = 1_000;

interface SiteOptions {
  readonly nodeEnvironment: 'production' | 'development';
  /** Arguments for Node. */
  readonly web: readonly string[];
  readonly worker: readonly string[];
  /** Runs before anything is started; the signal ends its waits. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
}

interface StopRequest {
  /** Aborted when the site is asked to stop. */
  readonly stop: AbortSignal;
  /** Aborted when it is asked again. */
  readonly hurry: AbortSignal;
}

/**
 * From now on SIGINT, SIGTERM, SIGHUP and the end of setup.mjs abort `stop` instead of ending this
 * process; the next one aborts `hurry`.
 */
function listenForStop(): StopRequest {
  const stop = new AbortController();
  const hurry = new AbortController();
  let firstAt = 0;
  const request = (): void => {
    if (!stop.signal.aborted) {
      firstAt = performance.now();
      printLines('Stopping …');
      stop.abort(new Error('stopped'));
    } else if (performance.now() - firstAt > ONE_REQUEST_MS) {
      hurry.abort(new Error('hurried'));
    }
  };
  // A terminal that is gone must not break the shutdown when it prints.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request);
  process.on('disconnect', request);
  return { stop: stop.signal, hurry: hurry.signal };
}

/**
 * Waits until the port is free, and keeps other sites of this folder from it: one that starts at the same
 * time would take the first one's responses for its own.
 * @returns a function that lets the next site have it
 * @throws when it is not free in time
 */
async function claimPort(port: number): Promise<() => Promise<void>> {
  const host = process.env.HOST?.trim() || '0.0.0.0';
  for (const deadline = Date.now() + PORT_TIMEOUT_MS; ; await sleep(200)) {
    const release = await tryLock(join(dataRoot, 'locks', `port-${port}`));
    if (release && (await isPortFree(port, host))) return release;
    await release?.();
    if (Date.now() > deadline) {
      throw new Error(`Port ${port} is in use: stop what uses it, or set PORT to another one.`);
    }
  }
}

/** Where the servers of a site have their data and its processes their logs: the first one's without a number. */
interface DataFolders {
  /** What their names end with. */
  readonly suffix: string;
  readonly postgres: string;
  readonly redis: string;
  readonly log: string;
  readonly files: FileFolders;
  /** Lets the next site have them. */
  release(): Promise<void>;
}

async function lockDataFolders(): Promise<DataFolders> {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const release = await tryLock(join(dataRoot, 'locks', `postgres${suffix}`));
    const findFolder = (name: string): string => join(dataRoot, `${name}${suffix}`);
    if (!release) continue;
    const files = { MAIL_DIR: findFolder('mail'), CRM_DIR: findFolder('crm'), ERASURES_DIR: findFolder('erasures') };
    return { suffix, postgres: findFolder('postgres'), redis: findFolder('redis'), log: findFolder('log'), files, release };
  }
}

/** What jobs run on: a Redis of the site's own where the machine has redis-server, else PostgreSQL alone. */
interface JobStore {
  readonly redis?: LocalRedis;
  /** What the console shows. */
  readonly description: string;
}

async function startJobStore(folder: string): Promise<JobStore> {
  if (isSet('REDIS_URL')) return { description: 'on Redis at REDIS_URL' };
  const program = findProgram('redis-server');
  if (!program) return { description: 'on PostgreSQL alone (no redis-server on PATH)' };
  try {
    const redis = await startLocalRedis(program, folder);
    return { redis, description: `on Redis (${program}), data in ${folder}` };
  } catch (error) {
    console.warn(error instanceof Error ? error.message : error);
    return { description: 'on PostgreSQL alone (redis-server did not start)' };
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    const url = new URL(apiPaths.ready, 'http://localhost');
    const host = readLocalHost();
    url.hostname = host.includes(':') ? `[${host}]` : host;
    url.port = String(port);
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function waitUntilReady(port: number, request: StopRequest): Promise<void> {
  for (const deadline = Date.now() + READY_TIMEOUT_MS; !(await isReady(port)); await sleep(100)) {
    request.stop.throwIfAborted();
    if (Date.now() > deadline) {
      throw new Error(`The site was not ready within ${READY_TIMEOUT_MS / 1000} seconds.`);
    }
  }
}

/** What the processes of a site run on. */
interface SiteServers {
  readonly database: PostgresServer;
  readonly jobStore: JobStore;
  readonly folders: DataFolders;
}

const getLogFile = (folder: string, name: string): string => join(folder, `${name}.log`);

async function runProcesses(
  options: SiteOptions,
  { database, jobStore, folders }: SiteServers,
  running: GuardedProcess[],
  request: StopRequest,
): Promise<never> {
  const port = readPort();
  const urls = { databaseUrl: database.url, redisUrl: jobStore.redis?.url };
  const env = await buildSiteEnvironment(options.nodeEnvironment, port, urls, folders.files);
  const start = (name: string, args: readonly string[], environment = env): GuardedProcess => {
    const writeLine = openProcessLog(name, getLogFile(folders.log, name));
    const started = startSiteProcess(name, args, environment, writeLine);
    running.push(started);
    return started;
  };
  const failOnExit = async ({ name, exited }: GuardedProcess): Promise<never> => {
    throw new Error(`The ${name} process ended by itself: ${await exited}. Its log: ${getLogFile(folders.log, name)}`);
  };
  const stopped = untilAborted(request.stop);
  const migration = await showStep('Migrating the database', async () =>
    Promise.race([start('migration', ['migrations/main.ts']).exited, stopped]),
  );
  if (migration !== 'exit code 0') throw new Error(`The migration failed: ${migration}.`);

  const stopOrFailure = Promise.race([
    failOnExit(start('web', options.web)),
    failOnExit(start('worker', options.worker, buildWorkerEnvironment(env))),
    stopped,
  ]);
  await showStep('Starting web and worker', () => Promise.race([waitUntilReady(port, request), stopOrFailure]));
  const unpublish = await publishSettings(env, folders.suffix);
  console.log(describeSite(env, { database: database.folder, jobs: jobStore.description, logs: folders.log }));
  return stopOrFailure.finally(unpublish);
}

async function runWithServers(options: SiteOptions, request: StopRequest): Promise<void> {
  const folders = await lockDataFolders();
  const running: GuardedProcess[] = [];
  let database: PostgresServer | undefined;
  let jobStore: JobStore | undefined;
  try {
    const server = await createPostgresServer({ dataFolder: folders.postgres });
    database = server;
    await showStep('Starting PostgreSQL', () => server.start(request.stop));
    request.stop.throwIfAborted();
    jobStore = await startJobStore(folders.redis);
    request.stop.throwIfAborted();
    await runProcesses(options, { database, jobStore, folders }, running, request);
  } finally {
    await Promise.all(running.map((process) => process.stop(request.hurry)));
    await jobStore?.redis?.process.stop(request.hurry);
    await database?.stop(request.hurry.aborted ? 'immediate' : 'fast');
    await folders.release();
  }
}

/**
 * Runs PostgreSQL, Redis where the machine has it, migrations, web and worker until a signal asks for the
 * end, then stops them all and ends this process: exit code 0 after a signal, 1 (and a message) after a
 * failure.
 */
export async function runSite(options: SiteOptions): Promise<never> {
  const request = listenForStop();
  try {
    const releasePort = await claimPort(readPort());
    try {
      await options.prepare?.(request.stop);
      request.stop.throwIfAborted();
      await runWithServers(options, request);
    } finally {
      await releasePort();
    }
  } catch (error) {
    if (request.stop.aborted) process.exit(0);
    console.error(error instanceof Error ? error.message : error);
  }
  process.exit(1);
}
