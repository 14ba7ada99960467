import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPortFree } from './free-port.ts';
import { createPostgresServer } from './embedded-postgres.ts';
import type { PostgresServer } from './embedded-postgres.ts';
import { tryLock } from './lock.mjs';
import { startSiteProcess, untilAborted } from './processes.ts';
import type { SiteProcess } from './processes.ts';
import {
  buildSiteEnvironment,
  buildWorkerEnvironment,
  dataRoot,
  describeSite,
  publishSettings,
  readLocalHost,
  readPort,
} from './site-environment.ts';
import { listenForStop } from './stop-request.ts';
import type { StopRequest } from './stop-request.ts';

const READY_DEADLINE_MS = 120_000;
// A killed demo's web process gets this long to let go of the port.
const PORT_PATIENCE_MS = 5_000;

export interface SiteOptions {
  readonly nodeEnvironment: 'production' | 'development';
  /** Arguments for Node. */
  readonly web: readonly string[];
  readonly worker: readonly string[];
  /** Runs before anything is started. */
  readonly prepare?: () => Promise<void>;
}

async function waitForFreePort(port: number): Promise<void> {
  const deadline = Date.now() + PORT_PATIENCE_MS;
  const host = process.env.HOST?.trim() || '0.0.0.0';
  while (!(await isPortFree(port, host))) {
    await sleep(200);
    if (Date.now() > deadline) {
      throw new Error(`Port ${port} is in use: stop what uses it, or set PORT to another one.`);
    }
  }
}

async function takeDatabaseSlot(): Promise<{ folder: string; release: () => Promise<void> }> {
  for (let slot = 1; ; slot += 1) {
    const name = slot === 1 ? 'postgres' : `postgres-${slot}`;
    const release = await tryLock(join(dataRoot, 'locks', name));
    if (release) return { folder: join(dataRoot, name), release };
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    const url = new URL('http://localhost/health/ready');
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
  for (const deadline = Date.now() + READY_DEADLINE_MS; !(await isReady(port)); await sleep(100)) {
    request.stop.throwIfAborted();
    if (Date.now() > deadline) {
      throw new Error(`The site was not ready within ${READY_DEADLINE_MS / 1000} seconds.`);
    }
  }
}

async function failOnExit(process: SiteProcess): Promise<never> {
  throw new Error(`The ${process.name} process ended by itself: ${await process.exited}.`);
}

async function runProcesses(
  options: SiteOptions,
  server: PostgresServer,
  running: SiteProcess[],
  request: StopRequest,
): Promise<never> {
  const port = readPort();
  const env = await buildSiteEnvironment(options.nodeEnvironment, port, server.url);
  const start = (name: string, args: readonly string[], environment = env): SiteProcess => {
    const started = startSiteProcess(name, args, environment);
    running.push(started);
    return started;
  };
  const stopped = untilAborted(request.stop);
  const migration = start('migration', ['migrations/main.ts']);
  const outcome = await Promise.race([migration.exited, stopped]);
  if (outcome !== 'exit code 0') throw new Error(`The migration failed: ${outcome}.`);

  const ended = Promise.race([
    failOnExit(start('web', options.web)),
    failOnExit(start('worker', options.worker, buildWorkerEnvironment(env))),
    stopped,
  ]);
  await Promise.race([waitUntilReady(port, request), ended]);
  console.log(describeSite(env, server.folder));
  const unpublish = await publishSettings(env);
  return ended.finally(unpublish);
}

async function runWithDatabase(options: SiteOptions, request: StopRequest): Promise<void> {
  const slot = await takeDatabaseSlot();
  const running: SiteProcess[] = [];
  let server: PostgresServer | undefined;
  try {
    server = await createPostgresServer({ dataFolder: slot.folder });
    await server.start();
    request.stop.throwIfAborted();
    await runProcesses(options, server, running, request);
  } finally {
    await Promise.all(running.map((process) => process.stop(request.hurry)));
    await server?.stop(request.hurry.aborted ? 'immediate' : 'fast');
    await slot.release();
  }
}

/**
 * Runs database, migrations, web and worker until a signal asks for the end, then stops them all
 * and ends this process: exit code 0 after a signal, 1 (and a message) after a failure.
 */
export async function runSite(options: SiteOptions): Promise<never> {
  const request = listenForStop();
  try {
    await waitForFreePort(readPort());
    await options.prepare?.();
    request.stop.throwIfAborted();
    await runWithDatabase(options, request);
  } catch (error) {
    if (request.stop.aborted) process.exit(0);
    console.error(error instanceof Error ? error.message : error);
  }
  process.exit(1);
}
