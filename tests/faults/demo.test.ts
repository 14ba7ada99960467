import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findFreePort } from '../../scripts/free-port.ts';
import { findUnprivilegedAccount } from '../../scripts/postgres-installation.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { copyProject, startDemo, untilAllEnded } from './demo.ts';
import type { Environment } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { readReady } from './web-health.ts';

const run = promisify(execFile);
const ownModules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Gives a copy of the project to a user who can't access the original folder. */
async function giveTo(user: string, folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  await rm(modules, { recursive: true });
  await run('chown', ['--recursive', `${user}:`, folder]);
  // Hard links take no disk space, but don't work if the temporary folder is on another disk.
  await run('cp', ['--archive', '--link', ownModules, modules]).catch(async () => {
    await rm(modules, { recursive: true, force: true });
    await run('cp', ['--archive', ownModules, modules]);
  });
}

test('an ordinary user’s demo keeps its data, even if root runs it in between', { timeout: 300_000 }, async () => {
  const folder = await copyProject();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await giveTo('nobody', folder);
  const user = isRoot ? { account: findUnprivilegedAccount() } : {};
  const body = makeContactBody();
  const statuses: number[] = [];
  for (const options of isRoot ? [user, {}, user] : [user, user]) {
    const demo = await startDemo(folder, options);
    await demo.untilReady();
    statuses.push((await postContact(demo.origin, body)).status);
    expect(await demo.interrupt()).toBe(0);
    await untilAllEnded(folder);
  }

  expect(statuses).toEqual([201, ...statuses.slice(1).map(() => 200)]);
});

/** Runs the demo until it is ready, calls `work`, ends the demo with Ctrl-C or a signal, and returns its output. */
async function runDemo(
  folder: string,
  settings: Environment,
  work: (origin: string) => Promise<void>,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<string> {
  const demo = await startDemo(folder, { settings });
  await demo.untilReady();
  await work(demo.origin);
  expect(await demo.interrupt(signal)).toBe(signal === 'SIGINT' ? 0 : null);
  await untilAllEnded(folder);

  return demo.output();
}

/** The request in every post. The response is 201 if it is new, and 200 if it is already in the demo's data. */
const request = makeContactBody();
const postRequest = async (origin: string) => (await postContact(origin, request)).status;

/** Returns the mails that the demo wrote. */
async function readMails(folder: string): Promise<string[]> {
  const mails = join(folder, '.data', 'mail');
  const names = await readdir(mails).catch(() => []);
  // Files that are still being written have a different extension.
  const files = names.filter((name) => name.endsWith('.eml'));

  return Promise.all(files.map((file) => readFile(join(mails, file), 'utf8')));
}

/** Waits for the first line of a process's log. */
async function readFirstLogLine(folder: string, name: string): Promise<unknown> {
  const line = await waitFor(`a line of ${name}'s log`, async () => {
    const [first, ...rest] = (await readFile(join(folder, '.data', 'log', `${name}.log`), 'utf8')).split('\n');

    return rest.length > 0 && first;
  });

  return JSON.parse(line);
}

test(
  'the demo mails a request, ends all its processes on Ctrl-C or when it is killed, and keeps its data',
  { timeout: 300_000 },
  async () => {
    const folder = await copyProject();
    const alone = await runDemo(folder, { LOG_LEVEL: 'info' }, async (origin) => {
      expect(await postRequest(origin)).toBe(201);
      await waitFor('the mail', async () => (await readMails(folder)).some((mail) => mail.includes(request.id)));
      for (const process of ['web', 'worker']) {
        expect(await readFirstLogLine(folder, process)).toMatchObject({ process });
      }
    });
    expect(alone).toContain('Jobs               on PostgreSQL alone');
    // The console shows sentences, and the log file contains JSON lines.
    expect(alone).toMatch(/^\d\d:\d\d:\d\d web info: /m);
    expect(alone).not.toMatch(/^\{/m);

    const redisUrl = `redis://127.0.0.1:${await findFreePort()}`;
    const given = await runDemo(folder, { REDIS_URL: redisUrl }, async (origin) => {
      expect(await postRequest(origin)).toBe(200);
      expect(await readReady(origin)).toMatchObject({ redis: 'down' });
    }, 'SIGKILL');
    expect(given).toContain('Jobs               on Redis at REDIS_URL');
    const mails = await readMails(folder);
    expect(mails.filter((mail) => mail.includes(request.id))).toHaveLength(1);
    expect(mails.filter((mail) => mail.includes(`To: ${request.email}`))).toHaveLength(1);
  },
);

test('the demo shows why one of its processes ended', { timeout: 300_000 }, async () => {
  const folder = await copyProject();
  const demo = await startDemo(folder, { settings: { RATE_LIMIT_CONTACT: 'some' } });

  expect(await demo.untilExited()).toBe(1);
  expect(demo.output()).toMatch(/The settings can't be used:\n {2}- RATE_LIMIT_CONTACT [^]*The migration failed: exit code 1\./);
  await untilAllEnded(folder);
});
