import { setTimeout as wait } from 'node:timers/promises';
import { Minute, Second } from '../shared/time.ts';
import { makeContactBody, postContact } from '../tests/support/contact-request.ts';
import { pagePaths } from '../tests/support/site-content.ts';
import { startPinnedServer, type Environment } from './pinned-process.ts';
import { sendLoad } from './send-load.ts';
import { webArgs } from './measure-start.ts';

const CONNECTIONS = 32;
const SECONDS_A_TARGET = 5;
/** Of Chromium. */
const BROWSER_ENCODINGS = 'gzip, deflate, br, zstd';

const NOT_FOUND = '/no-such-page';

/** What differs in what the process has to do: pages, a search rendered anew, what isn't a page. */
const targets = [
  ...pagePaths.map((path) => ({ path })),
  { path: '/insights?q=data' },
  { path: NOT_FOUND, expectsRefusal: true },
  { path: '/sitemap.xml' },
];

/** MiB of the web process at its first answer, after the load, and after the silence that followed. */
export interface MemoryFigures {
  readonly atStart: number;
  readonly afterLoad: number;
  readonly afterIdle: number;
  readonly requests: number;
  readonly contacts: number;
}

/** One contact request after another, as fast as they are answered, until told to end. */
async function sendContacts(origin: string, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const answer = await postContact(origin, makeContactBody());
    await answer.arrayBuffer();
    if (answer.status !== 201) throw new Error(`A contact request was answered ${answer.status}.`);
    count += 1;
  }

  return count;
}

/** Asks for one thing after another, a few seconds each, over and over until the time is up. */
async function sendPages(origin: string, minutes: number): Promise<number> {
  const end = performance.now() + minutes * Minute;
  let requests = 0;
  while (performance.now() < end) {
    for (const { path, ...target } of targets) {
      const seconds = Math.min(SECONDS_A_TARGET, Math.round((end - performance.now()) / Second));
      if (seconds < 1) return requests;
      const report = await sendLoad({
        url: origin + path,
        seconds,
        connections: CONNECTIONS,
        headers: { 'accept-encoding': BROWSER_ENCODINGS },
        ...target,
      });
      requests += report.requests;
    }
  }

  return requests;
}

async function sendMixedLoad(origin: string, minutes: number) {
  const pagesAreDone = new AbortController();
  const [requests, contacts] = await Promise.all([
    sendPages(origin, minutes).finally(() => pagesAreDone.abort()),
    sendContacts(origin, pagesAreDone.signal),
  ]);

  return { requests, contacts };
}

/** Loads the web process and leaves it alone after it, for so many minutes each. */
export async function measureMemory(
  settings: Environment,
  minutes: { readonly load: number; readonly idle: number },
): Promise<MemoryFigures> {
  const server = await startPinnedServer(webArgs, settings);
  try {
    const atStart = await server.readMemoryMib();
    const sent = await sendMixedLoad(server.origin, minutes.load);
    const afterLoad = await server.readMemoryMib();
    await wait(minutes.idle * Minute);

    return { atStart, afterLoad, afterIdle: await server.readMemoryMib(), ...sent };
  } finally {
    await server.stop();
  }
}
