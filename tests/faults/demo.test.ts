import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findFreePort } from '../../scripts/free-port.ts';
import { findNobody } from '../../scripts/postgres-installation.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { copyProject, startDemo, untilAllEnded } from '../support/demo.ts';
import { waitFor } from '../support/wait-for.ts';

const run = promisify(execFile);
const ownModules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Gives a copy of the project to a user who may not enter the folder of this one. */
async function giveTo(user: string, folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  await rm(modules, { recursive: true });
  await run('chown', ['--recursive', `${user}:`, folder]);
  // Links take no room; a temporary folder on another disk can't have them.
  await run('cp', ['--archive', '--link', ownModules, modules]).catch(async () => {
    await rm(modules, { recursive: true, force: true });
    await run('cp', ['--archive', ownModules, modules]);
  });
}

/** The requests of the site that `npm run ops` operates. */
async function listRequests(folder: string): Promise<unknown> {
  const args = ['run', '--silent', 'ops', '--', 'submissions', 'list', '--json'];
  const { stdout } = await run('npm', args, { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } });

  return JSON.parse(stdout);
}

test('two demos that start at once in one folder run side by side, each with data of its own; one more on a port that is taken says so and ends', { timeout: 300_000 }, async () => {
  const folder = await copyProject();
  const demos = await Promise.all([startDemo(folder), startDemo(folder)]);
  await Promise.all(demos.map(({ untilReady }) => untilReady()));
  const body = makeContactBody();
  for (const { origin } of demos) expect((await postContact(origin, body)).status).toBe(201);
  for (const crm of ['crm', 'crm-2']) {
    const exported = await waitFor(`the export of ${crm}`, async () => {
      // It is empty until it is written.
      const text = await readFile(join(folder, '.data', crm, 'submissions.ndjson'), 'utf8').catch(() => '');

      return text !== '' && text;
    });
    expect(exported.trimEnd().split('\n')).toHaveLength(1);
    expect(exported).toContain(body.id);
  }

  const port = Number(new URL(demos[0].origin).port);
  const late = await startDemo(folder, { port });
  expect(await late.untilExited()).toBe(1);
  expect(late.output()).toContain(`Port ${port} is in use: stop what uses it, or set PORT to another one.`);

  // `ops` operates the first one, and once that ends the other.
  const text = await readFile(join(folder, '.data', 'running-site.json'), 'utf8');
  const { PORT } = JSON.parse(text) as { PORT: string };
  for (const { origin, interrupt } of demos.toSorted(({ origin }) => (origin.endsWith(`:${PORT}`) ? -1 : 1))) {
    expect((await postContact(origin, body)).status).toBe(200);
    expect(await listRequests(folder)).toMatchObject([{ id: body.id }]);
    expect(await interrupt()).toBe(0);
  }
  await untilAllEnded(folder);
});

test('of two demos that start at once on one port one becomes ready, and the other says that the port is taken and ends', { timeout: 300_000 }, async () => {
  const folder = await copyProject();
  const port = await findFreePort();
  const demos = await Promise.all([startDemo(folder, { port }), startDemo(folder, { port })]);
  const loser = await Promise.race(demos.map(async (demo) => {
    expect(await demo.untilExited()).toBe(1);

    return demo;
  }));
  expect(loser.output()).toContain(`Port ${port} is in use`);
  const winner = demos.find((demo) => demo !== loser);
  await winner?.untilReady();
  expect(loser.output()).not.toContain('Ctrl-C stops everything.');
  expect((await postContact(winner?.origin ?? '', makeContactBody())).status).toBe(201);
  expect(await winner?.interrupt()).toBe(0);
  await untilAllEnded(folder);
});

test('the demo of an ordinary user finds its data again, also after root ran it in between', { timeout: 300_000 }, async () => {
  const folder = await copyProject();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await giveTo('nobody', folder);
  const user = isRoot ? { account: findNobody() } : {};
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
