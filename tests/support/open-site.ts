import { onTestFinished } from 'vitest';
import { createWorker } from '../../jobs/start-worker.ts';
import { createWeb } from '../../server/start-web.ts';
import { findFreePort } from '../../scripts/free-port.ts';
import { loadConfig, loadWebConfig } from '../../shared/node/config/config.ts';
import { createMemoryLogger } from './memory-logger.ts';
import type { Environment } from './site-process.ts';
import { loadFrontEnd, neverOverloaded } from './web-replacements.ts';
import { readTimings } from './worker-timings.ts';

/*
 * Web and worker in the test's own process, which saves two starts of Node. They share the event loop, the environment
 * and the alerts. Tests that involve signals, crashes or the environment use `site-process.ts`.
 */

type FrontEnd = Awaited<ReturnType<typeof loadFrontEnd>>;

/** A running web or worker. `stop` shuts it down gracefully, as a signal does, and may be called twice. */
interface OpenSite {
  /** Its complete log. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

export interface OpenWeb extends OpenSite {
  readonly origin: string;
}

type MemoryLogger = ReturnType<typeof createMemoryLogger>;

function makeSite({ read }: MemoryLogger, onClose: ReadonlyArray<() => Promise<unknown>>): OpenSite {
  let closing: Promise<void> | undefined;
  const close = async () => {
    for (const step of onClose) await step();
  };

  return {
    output: read,
    stop: () => (closing ??= close()),
  };
}

/** Starts web on a free port. The caller must stop it. */
export async function openWebServer(settings: Environment, frontEnd?: FrontEnd): Promise<OpenWeb> {
  const port = await findFreePort();
  const config = loadWebConfig({ HOST: '127.0.0.1', PORT: String(port), ...settings });
  const log = createMemoryLogger('web', config.logLevel);
  const { start, onClose } = await createWeb(config, log.logger, frontEnd ?? (await loadFrontEnd()), neverOverloaded);
  await start();

  return { ...makeSite(log, onClose), origin: `http://localhost:${port}` };
}

/** Starts web on a free port and stops it when the test ends. */
export async function openWeb(settings: Environment, frontEnd?: FrontEnd) {
  const web = await openWebServer(settings, frontEnd);
  onTestFinished(web.stop);

  return web;
}

/** Starts a worker with short timings and stops it when the test ends. */
export async function openWorker(settings: Environment): Promise<OpenSite> {
  const config = loadConfig(settings);
  const log = createMemoryLogger('worker', config.logLevel);
  const { start, onClose } = await createWorker(config, log.logger, readTimings(settings));
  await start();
  const worker = makeSite(log, onClose);
  onTestFinished(worker.stop);

  return worker;
}
