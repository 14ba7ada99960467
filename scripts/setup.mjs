// Plain JavaScript without dependencies: it runs on the machine's own Node, before anything is
// installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants as fsConstants, existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { printLines, showStep } from './progress.mjs';

const USAGE = 'Usage: node scripts/setup.mjs [--workspaces] [--run FILE [ARGUMENT...]]';
const OLDEST_NODE = { major: 20, minor: 19 };
/** @type {NodeJS.Signals[]} */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.setup-stamp');

/** Ends the stamp of an installation that has the workspaces' packages, which few commands need. */
const WORKSPACES_MARK = ' with workspaces';

// What an outer npm was told about itself; each of these would change what the inner one installs.
const INTERFERING_SETTINGS = new Set(
  (
    'also bin_links dev dry_run force foreground_scripts global global_style ignore_scripts ' +
    'include include_workspace_root install_links install_strategy json legacy_bundling ' +
    'legacy_peer_deps location loglevel omit only optional package_lock package_lock_only ' +
    'production strict_peer_deps workspace workspaces'
  )
    .split(' ')
    .map((name) => `npm_config_${name}`),
);

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}

function checkNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const oldest = OLDEST_NODE;
  if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) return;
  const wanted = `${oldest.major}.${oldest.minor}`;
  fail(`Node ${wanted} or newer is needed; this is ${process.versions.node}.`);
}

/** @param {string[]} args */
function parseArguments(args) {
  const needsWorkspaces = args[0] === '--workspaces';
  const [option, file, ...fileArguments] = needsWorkspaces ? args.slice(1) : args;
  if (option !== undefined && (option !== '--run' || file === undefined)) fail(USAGE);
  return { needsWorkspaces, file, fileArguments };
}

/**
 * npm sends a signal to the shell between us, which may die of it without forwarding it.
 * @param {() => void} onOrphaned
 */
function watchForOrphanhood(onOrphaned) {
  if (!process.env.npm_lifecycle_event) return () => undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onOrphaned();
  }, 200);
  return () => clearInterval(timer);
}

/**
 * Starts a process, forwards signals to it and returns its exit code, 128 + n for a signal.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<{ exitCode: number, output: string }>}
 */
function runChild(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, ...options });
    /** @type {Buffer[]} */
    const output = [];
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      const isRunning = child.exitCode === null && child.signalCode === null;
      if (options.detached && child.pid && isRunning) process.kill(-child.pid, signal);
      else child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, forward);
    const stopWatching = watchForOrphanhood(() => forward('SIGTERM'));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      stopWatching();
      for (const name of SIGNALS) process.off(name, forward);
      const exitCode = code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
      resolve({ exitCode, output: Buffer.concat(output).toString() });
    });
  });
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
async function runNpm(args, env) {
  // A group of its own, so that a signal ends npm's children with it and none of them goes on
  // writing while the next attempt runs.
  const { exitCode, output } = await runChild('npm', args, {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).catch((error) => {
    throw new Error(`npm cannot be started: ${error.message}`);
  });
  if (exitCode === 0) return;
  printLines(output);
  throw new Error(`npm ${args[0]} failed with exit code ${exitCode}.`);
}

/** @param {string} folder */
async function isWritable(folder) {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, fsConstants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {(env: NodeJS.ProcessEnv) => Promise<void>} work */
async function withNpmEnvironment(work) {
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env };
  for (const name of Object.keys(env)) {
    if (INTERFERING_SETTINGS.has(name.toLowerCase())) delete env[name];
  }
  env.npm_config_loglevel = 'error';
  // npm must not run on the Node it is about to delete.
  const ownBinaries = join(modules, '.bin');
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== ownBinaries);
  env.PATH = folders.join(delimiter);
  if (await isWritable(env.npm_config_cache ?? join(homedir(), '.npm'))) return work(env);
  const cache = await mkdtemp(join(tmpdir(), 'npm-cache-'));
  try {
    return await work({ ...env, npm_config_cache: cache });
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
}

async function listPackagesToBuild() {
  const { allowScripts = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return Object.entries(allowScripts)
    .filter(([, isAllowed]) => isAllowed === true)
    .map(([spec]) => spec.replace(/(?<=.)@[^@/]*$/, ''))
    .filter((name) => existsSync(join(modules, name, 'package.json')));
}

/**
 * What is to be installed, as the stamp file says it.
 * @param {boolean} needsWorkspaces
 */
async function computeStamp(needsWorkspaces) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['package.json', 'package-lock.json']) {
    hash.update(await readFile(join(root, file)));
  }
  return `${hash.digest('hex')}${needsWorkspaces ? WORKSPACES_MARK : ''}`;
}

/**
 * With the workspaces is also without them.
 * @param {string} stamp
 */
async function isInstalled(stamp) {
  const found = await readFile(stampFile, 'utf8').catch(() => '');
  return found === stamp || found === `${stamp}${WORKSPACES_MARK}`;
}

/** @param {boolean} needsWorkspaces */
async function install(needsWorkspaces) {
  const stamp = await computeStamp(needsWorkspaces);
  if (await isInstalled(stamp)) return;
  await showStep('Installing dependencies', () => withNpmEnvironment(async (env) => {
    // Without the explicit includes NODE_ENV=production or a user's own settings would omit some.
    const options = ['--ignore-scripts', '--include=optional', '--include=dev'];
    await runNpm(['ci', ...options, ...(needsWorkspaces ? [] : ['--workspaces=false'])], env);
    const packages = await listPackagesToBuild();
    if (packages.length > 0) {
      await runNpm(['rebuild', '--ignore-scripts=false', ...packages], env);
    }
  }));
  await writeFile(stampFile, stamp);
}

/** @param {boolean} needsWorkspaces */
async function ensureInstalled(needsWorkspaces) {
  if (await isInstalled(await computeStamp(needsWorkspaces))) return;
  await withLock(
    join(root, '.data', 'locks', 'setup'),
    () => install(needsWorkspaces),
    () => printLines('Waiting for another setup of this folder to finish …'),
  );
}

/**
 * @param {string} file
 * @param {string[]} args
 */
async function run(file, args) {
  const node = join(modules, 'node', 'bin', 'node');
  if (!existsSync(node)) fail('The package "node" has no binary: remove node_modules, try again.');
  const path = [join(modules, '.bin'), process.env.PATH].filter(Boolean).join(delimiter);
  const { exitCode } = await runChild(node, [join(root, file), ...args], {
    env: { ...process.env, PATH: path },
    // The channel tells the child when this process is gone without having been able to say so.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  process.exitCode = exitCode;
}

checkNodeVersion();
const request = parseArguments(process.argv.slice(2));
await ensureInstalled(request.needsWorkspaces).catch((error) => fail(error.message));
if (request.file) await run(request.file, request.fileArguments);
