import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withLock } from './lock.mjs';
import { runStep } from './run-step.ts';

/** PATH with the folders of the system's programs, which a user's own may lack. */
export const systemPath = [process.env.PATH, '/usr/bin', '/usr/sbin']
  .filter(Boolean)
  .join(delimiter);

/** A Debian package, named like its program unless `programNames` says; `postgresql` has client tools. */
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

/** The file of a program that `path`, by default our own PATH, has. */
export function findProgram(name: string, path = process.env.PATH ?? ''): string | undefined {
  const folders = path.split(delimiter).filter(Boolean);

  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Where Debian puts PostgreSQL's programs, by major; its server is not on PATH. */
const POSTGRES_FOLDER = '/usr/lib/postgresql';

/** The folder of the newest PostgreSQL that the system has with its client tools: `bin` lies in it. */
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
    throw new Error(`Missing, and needed here: ${missing.join(', ')}. Install and repeat.`);
  }
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
  const env = { ...process.env, PATH: systemPath, DEBIAN_FRONTEND: 'noninteractive' };
  await runStep('Updating the list of packages', 'apt-get', [...options, 'update'], env);
  // Never in the place of another package.
  const install = [...options, 'install', '--yes', '--no-install-recommends', '--no-remove', ...missing];
  await runStep(`Installing ${missing.join(', ')}`, 'apt-get', install, env);
}

/** Installs what is missing by apt where it may; otherwise throws naming it. */
export async function ensurePrerequisites(wanted: readonly Prerequisite[]): Promise<void> {
  await withLock('prerequisites', () => installMissing(wanted));
}
