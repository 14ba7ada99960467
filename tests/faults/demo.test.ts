import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findNobody } from '../../scripts/postgres-installation.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { copyProject, startDemo, untilAllEnded } from '../support/demo.ts';

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
