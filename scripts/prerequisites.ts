import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withLock } from './lock.mjs';
import { runStep } from './run-step.ts';

/** PATH including system folders, which a user's PATH may lack. */
export const systemPath = [process.env.PATH, '/usr/bin', '/usr/sbin']
  .filter(Boolean)
  .join(delimiter);

/** A Debian package. Its program has the same name unless `programNames` says otherwise. `postgresql` has several. */
export type Prerequisite =
  | 'chromium'
  | 'chromium-headless-shell'
  | 'firefox-esr'
  | 'webkit2gtk-driver'
  | 'xvfb'
  | 'redis-server'
  | 'caddy'
  | 'faketime'
  | 'openssl'
  | 'postgresql'
  | 'prometheus'
  | 'restic'
  | 'wrk';

const programNames: Partial<Record<Prerequisite, string>> = {
  prometheus: 'promtool',
  'webkit2gtk-driver': 'WebKitWebDriver',
  xvfb: 'Xvfb',
};

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the path of a program on `path`, which defaults to PATH. */
export function findProgram(name: string, path = process.env.PATH ?? ''): string | undefined {
  const folders = path.split(delimiter).filter(Boolean);

  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Debian's PostgreSQL folders by major version. The server is not on PATH. */
const POSTGRES_FOLDER = '/usr/lib/postgresql';

/** Returns the folder of the newest system PostgreSQL with client tools. It contains `bin`. */
export function findSystemPostgres(): string | undefined {
  if (!existsSync(POSTGRES_FOLDER)) return undefined;
  const programs = ['postgres', 'initdb', 'pg_dump', 'pg_restore'];

  return readdirSync(POSTGRES_FOLDER)
    .sort((one, other) => Number(other) - Number(one))
    .map((major) => join(POSTGRES_FOLDER, major))
    .find((folder) => programs.every((name) => existsSync(join(folder, 'bin', name))));
}

function hasPackage(name: Prerequisite): boolean {
  if (name === 'postgresql') return findSystemPostgres() !== undefined;

  return findProgram(programNames[name] ?? name, systemPath) !== undefined;
}

async function installMissing(wanted: readonly Prerequisite[]): Promise<void> {
  const missing = wanted.filter((name) => !hasPackage(name));
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || findProgram('apt-get', systemPath) === undefined) {
    throw new Error(`Missing packages: ${missing.join(', ')}. Install them and try again.`);
  }
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
  const env = { ...process.env, PATH: systemPath, DEBIAN_FRONTEND: 'noninteractive' };
  await runStep('Updating the list of packages', 'apt-get', [...options, 'update'], env);
  // The installation must not remove other packages.
  const install = [...options, 'install', '--yes', '--no-install-recommends', '--no-remove', ...missing];
  await runStep(`Installing ${missing.join(', ')}`, 'apt-get', install, env);
}

/** Installs missing packages with apt if possible. Otherwise throws an error that lists them. */
export async function ensurePrerequisites(wanted: readonly Prerequisite[]): Promise<void> {
  await withLock('prerequisites', () => installMissing(wanted));
}
