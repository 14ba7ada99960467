import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listRemoved } from '../shared/node/config/known-names.ts';
import { listUnused, makeStackSecrets } from '../shared/node/config/stack-secrets.ts';
import { tryLogin } from '../shared/node/database/try-login.ts';
import { syncFolder } from '../shared/node/files/sync-folder.ts';
import { SiteError } from '../shared/node/logging/describe-error.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';

/*
 * The first container of the stack. It refuses invalid settings and passwords that a running PostgreSQL rejects. Then
 * it writes each group's secrets into its volume, so that no container has them in its environment.
 */

/** Files that the users of the Redis and PostgreSQL images can read. The Redis file contains only a hash. */
const WORLD_READABLE_FILES = new Set(['redis.acl', 'POSTGRES_PASSWORD']);

/** Writes the secrets into the folder, each file atomically, and removes all other files. */
async function writeSecrets(folder: string, secrets: ReadonlyMap<string, string>): Promise<void> {
  const outdated = (await readdir(folder)).filter((name) => !secrets.has(name));
  await Promise.all(outdated.map((name) => rm(join(folder, name))));
  for (const [name, content] of secrets) {
    const path = join(folder, name);
    const mode = WORLD_READABLE_FILES.has(name) ? 0o444 : 0o400;
    await writeFile(`${path}.part`, content, { mode, flush: true });
    await rename(`${path}.part`, path);
  }
  await syncFolder(folder);
}

/** Tries to log in as the superuser, who sets the other roles' passwords. Without a superuser, tries the other roles. */
async function tryLogins(secrets: ReadonlyMap<string, string>): Promise<void> {
  const names = secrets.has('DATABASE_ADMIN_URL')
    ? ['DATABASE_ADMIN_URL']
    : ['DATABASE_URL', 'DATABASE_APP_URL', 'DATABASE_WEB_URL'];
  for (const name of names) {
    const url = secrets.get(name);
    if (url !== undefined) await tryLogin(url, name);
  }
}

await exitOnFailure(async () => {
  const [webFolder, siteFolder, operatorFolder, option] = process.argv.slice(2);
  if (!webFolder || !siteFolder || !operatorFolder || ![undefined, '--own-servers'].includes(option)) {
    throw new SiteError('Usage: node ops/provision-secrets.ts WEB_FOLDER SITE_FOLDER OPERATOR_FOLDER [--own-servers]');
  }
  const owner = option === undefined ? 'stack' : 'operator';
  const { web, site, operator } = makeStackSecrets(undefined, owner);
  for (const sentence of listRemoved()) process.stderr.write(`${sentence}\n`);
  for (const name of listUnused(undefined, owner)) {
    process.stderr.write(`${name} has no effect here: ${owner === 'stack' ? 'the stack has its own server' : 'set the complete address instead'}.\n`);
  }
  await tryLogins(operator);
  await writeSecrets(webFolder, web);
  await writeSecrets(siteFolder, site);
  await writeSecrets(operatorFolder, operator);
});
