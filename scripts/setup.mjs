// Installs missing packages. Plain JavaScript, for any Node. --workspaces adds packages that few commands need.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { showStep } from './progress.mjs';

const OLDEST_NODE = '20.19';
const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.setup-stamp');
const needsWorkspaces = process.argv.includes('--workspaces');

function computeStamp() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  hash.update(readFileSync(join(root, 'package-lock.json')));
  return `${hash.digest('hex')}${needsWorkspaces ? ' with workspaces' : ''}`;
}

const isInstalled = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8').startsWith(computeStamp());

/** Returns npm's cache, which is inside the project if the home folder isn't writable. */
function findCache() {
  const cache = process.env.npm_config_cache ?? join(homedir(), '.npm');
  try {
    mkdirSync(cache, { recursive: true });
    accessSync(cache, constants.W_OK);
    return cache;
  } catch {
    return join(root, '.data', 'npm-cache');
  }
}

/** @param {string[]} args */
async function runNpm(...args) {
  // npm must not run on the Node it is about to delete.
  const folders = process.env.PATH?.split(delimiter).filter((folder) => folder !== join(modules, '.bin'));
  const env = { ...process.env, PATH: folders?.join(delimiter), npm_config_cache: findCache() };
  const npm = spawn('npm', [...args, '--loglevel=error'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(npm, 'close');
  if (code !== 0) throw new Error(`${output}npm ${args[0]} failed with exit code ${code}.`);
}

async function install() {
  // Override NODE_ENV=production and user settings, which could omit packages.
  const options = ['--ignore-scripts', '--include=optional', '--include=dev'];
  await runNpm('ci', ...options, ...(needsWorkspaces ? [] : ['--workspaces=false']));
  /** @type {{ allowScripts: Record<string, boolean> }} */
  const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const allowed = Object.keys(allowScripts).filter((spec) => allowScripts[spec]);
  const names = allowed.map((spec) => spec.replace(/(?<=.)@[^@/]*$/, ''));
  await runNpm('rebuild', '--ignore-scripts=false', ...names.filter((name) => existsSync(join(modules, name))));
  writeFileSync(stampFile, computeStamp());
}

async function ensureInstalled() {
  if (!isInstalled()) await showStep('Installing dependencies', install);
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
try {
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    throw new Error(`Node ${OLDEST_NODE} or newer is needed; this is ${process.versions.node}.`);
  }
  if (!isInstalled()) {
    await withLock('setup', ensureInstalled, () => console.error('Waiting for another setup of this folder to finish …'));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
