import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { findFreePort } from '../../scripts/free-port.ts';
import { projectRoot } from '../../scripts/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Docker } from './find-docker.ts';
import { runCommand, tryCommand, type CommandResult } from './run-command.ts';

/** The parts of `docker inspect` that the checks read. */
export interface Container {
  readonly Id: string;
  readonly RestartCount: number;
  readonly State: {
    readonly Status: string;
    readonly ExitCode: number;
    readonly Pid: number;
    readonly StartedAt: string;
    readonly Health?: { readonly Status: string };
  };
  readonly Config: {
    readonly User: string;
    /** Name or id of the image from which the container was created. */
    readonly Image: string;
    readonly Env: readonly string[];
    readonly Labels: Readonly<Record<string, string>>;
  };
  readonly HostConfig: {
    readonly ReadonlyRootfs: boolean;
    readonly CapDrop: readonly string[] | null;
    readonly CapAdd: readonly string[] | null;
    readonly SecurityOpt: readonly string[] | null;
    readonly PidsLimit: number | null;
    readonly Memory: number;
    readonly NanoCpus: number;
    readonly Init: boolean | null;
    readonly Privileged: boolean;
    readonly RestartPolicy: { readonly Name: string };
    readonly LogConfig: { readonly Config: Readonly<Record<string, string>> };
    readonly PortBindings: Readonly<Record<string, unknown>> | null;
  };
  readonly Mounts: ReadonlyArray<{ readonly Type: string; readonly Name?: string }>;
  readonly NetworkSettings: { readonly Networks: Readonly<Record<string, unknown>> };
}

export type Settings = Readonly<Record<string, string>>;

/** A line of `ops doctor`. */
export interface Finding {
  readonly check: string;
  readonly status: string;
}

const LIST_FILES = `
  const { readdirSync, readFileSync } = require('node:fs');
  const [folder] = process.argv.slice(1);
  const names = readdirSync(folder).filter((name) => !name.endsWith('.part'));
  const read = (name) => readFileSync(folder + '/' + name, 'utf8');
  console.log(JSON.stringify(names.map((name) => [name, read(name)])));
`;

export const serviceOf = ({ Config }: Container): string =>
  Config.Labels['com.docker.compose.service'] ?? '';

/** The Dockerfile targets that a release publishes as images. */
export const IMAGES = ['site', 'ops', 'publish', 'proxy'] as const;

/** Returns settings as lines of `.env`. */
export const writeLines = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

/** Returns `.env.example` with made-up values for the required settings, followed by `changes`. */
async function fillInExample(folder: string, changes: Settings): Promise<string> {
  const example = await readFile(join(folder, '.env.example'), 'utf8');
  const makeSecret = () => randomBytes(24).toString('hex');

  return `${example.replace(/^[A-Z_]+=$/gm, (line) => line + makeSecret())}\n${writeLines(changes)}`;
}

/** Returns the environment without the site's settings and npm's own variables, which would change the stack. */
export async function makeCleanEnvironment(): Promise<NodeJS.ProcessEnv> {
  const example = await readFile(join(projectRoot, '.env.example'), 'utf8');
  const settings = new Set([...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name));
  const kept = Object.entries(process.env).filter(
    ([name]) => !settings.has(name) && !/^(npm_|COMPOSE_)/i.test(name),
  );

  return {
    ...Object.fromEntries(kept),
    DOCKER_BUILDKIT: '1',
    COMPOSE_DOCKER_CLI_BUILD: '1',
    // How long Compose 1 waits for a busy engine, in seconds.
    COMPOSE_HTTP_TIMEOUT: '300',
  };
}

/** Frequent health checks, for stacks in a checkout. */
export const FREQUENT_HEALTH_CHECKS = {
  COMPOSE_FILE: 'docker-compose.yml:tests/stack/docker-compose.test.yml',
} as const satisfies Settings;

/** Timeout for every wait. A slow machine may run two other stacks at the same time. */
const TIMEOUT_MS = 300_000;

/** Waits for a condition, with longer pauses than usual because each check starts a process. */
export const waitForStack: typeof waitFor = (what, read) => waitFor(what, read, TIMEOUT_MS, 250);

/** Returns settings that separate a test's stack from others and make mails due within seconds. */
async function makeOwnSettings(project: string) {
  const [PORT, http, https] = [await findFreePort(), await findFreePort(), await findFreePort()];

  return {
    PORT: String(PORT),
    HTTP_PORT: `127.0.0.1:${http}`,
    HTTPS_PORT: `127.0.0.1:${https}`,
    VOLUME_PREFIX: project,
    LEGAL_EMAIL: 'legal@example.com',
    RATE_LIMIT_CONTACT: '10000/10m',
    FOLLOW_UP_REMINDER_AFTER: '2s',
    FOLLOW_UP_AFTER: '4s',
  };
}

/**
 * Prepares an empty folder for an install with unique names, volumes and ports.
 * @param built resolves when this version's images are built and in Docker's cache
 */
export async function prepareStack({ env: dockerEnv, compose, provideImages }: Docker, built: Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'stack-test-'));
  const project = `website-test-${randomBytes(4).toString('hex')}`;
  const own = await makeOwnSettings(project);
  const env = { ...dockerEnv, COMPOSE_PROJECT_NAME: project };
  const context = { env, cwd: folder };
  const settingsFile = join(folder, '.env');

  const runCompose = (...args: string[]) => runCommand([...compose, ...args], context);
  const runOps = (...args: string[]) => runCompose('run', '--rm', '-T', 'ops', ...args);
  const runDocker = (...args: string[]) => runCommand(['docker', ...args], context);
  /** Returns the lines of `docker ps` for the stack's containers. */
  const list = async (...args: string[]): Promise<string[]> => {
    const filter = ['--filter', `label=com.docker.compose.project=${project}`];

    return (await runDocker('ps', ...filter, ...args)).split('\n').filter(Boolean);
  };
  /** Runs a program in a service's container, without Compose, which takes a second to start. */
  const exec = async (service: string, ...command: string[]): Promise<string> => {
    const [id] = await list('--quiet', '--filter', `label=com.docker.compose.service=${service}`);
    if (id === undefined) throw new Error(`No ${service} container is running.`);

    return runDocker('exec', id, ...command);
  };
  const runNode = (service: string, ...script: string[]) => exec(service, 'node', '-e', ...script);

  /** Returns all containers, including exited ones. */
  const inspect = async (): Promise<readonly Container[]> => {
    const ids = await list('--all', '--quiet');

    return ids.length === 0
      ? []
      : (JSON.parse(await runDocker('inspect', ...ids)) as Container[]);
  };
  const inspectService = async (service: string) =>
    (await inspect()).filter((container) => serviceOf(container) === service);

  /** Returns the names and contents of the files in one of the worker's folders. */
  const readFiles = async (path: string): Promise<ReadonlyArray<readonly [string, string]>> =>
    JSON.parse(await runNode('worker', LIST_FILES, path)) as Array<[string, string]>;

  return {
    project,
    folder,
    context,
    own,
    /** The site's origin without TLS, which only this machine can reach. */
    origin: `http://localhost:${own.PORT}`,
    httpOrigin: `http://${own.HTTP_PORT}`.replace('127.0.0.1', 'localhost'),
    httpsOrigin: `https://${own.HTTPS_PORT}`.replace('127.0.0.1', 'localhost'),
    settingsFile,
    built,
    provideImages: () => provideImages(folder),
    compose: runCompose,
    docker: runDocker,
    exec,
    runNode,
    inspect,
    inspectService,
    /** Runs a program in the installation folder. */
    runScript: (program: string, ...args: string[]) => runCommand([program, ...args], context),
    tryScript: (program: string, ...args: string[]) => tryCommand([program, ...args], context),
    /** Runs Compose with a file in the folder as its output (`> FILE`) or input (`< FILE`). */
    pipe: (redirection: string, ...args: string[]) =>
      runCommand(['sh', '-c', `"$@" ${redirection}`, 'sh', ...compose, ...args], context),
    /** Runs the operator's tool. */
    ops: runOps,
    /** Returns the results of `ops doctor`. */
    readFindings: async (): Promise<readonly Finding[]> => {
      // The first call builds the tool's image, and Compose 2 prints the build's log to standard output.
      await runOps('--help');
      const { findings } = JSON.parse(await runOps('doctor', '--json')) as { readonly findings: readonly Finding[] };

      return findings;
    },
    writeSettings: async (changes: Settings): Promise<void> =>
      writeFile(settingsFile, await fillInExample(folder, changes), { mode: 0o600 }),
    /** Appends lines to the settings. If a setting appears several times, the last one wins. */
    changeSettings: (changes: Settings) => appendFile(settingsFile, writeLines(changes)),
    /** Runs Compose with changed settings. An empty value is treated as missing. */
    composeChanged: async (changes: Settings, ...args: string[]): Promise<CommandResult> => {
      const file = join(folder, '.env.changed');
      const text = await fillInExample(folder, { ...own, ENV_FILE: file, ...changes });
      await writeFile(file, text, { mode: 0o600 });

      return tryCommand([...compose, '--env-file', file, ...args], context);
    },
    /** Returns the rows of a SQL query. */
    query: async <Row>(sql: string): Promise<Row[]> => {
      const asJson = `select coalesce(json_agg(found), '[]') from (${sql}) found`;
      const psql = ['psql', '--username=website', '--no-align', '--tuples-only', '--command', asJson];

      return JSON.parse(await exec('postgres', ...psql)) as Row[];
    },
    readMails: async (): Promise<Email[]> => {
      const files = await readFiles('/data/mail');

      return Promise.all(files.map(([, content]) => PostalMime.parse(content)));
    },
    readExports: async (): Promise<ReadonlyMap<string, string>> =>
      new Map(await readFiles('/data/crm')),
    readErasures: () => readFiles('/data/erasures'),
    waitUntilHealthy: (...services: string[]) =>
      waitForStack(`${services.join(', ')} to be healthy`, async () => {
        const format = '{{.Label "com.docker.compose.service"}} {{.Status}}';
        const states = await list('--all', '--format', format);

        return services.every((service) => {
          const own = states.filter((state) => state.startsWith(`${service} `));

          return own.length > 0 && own.every((state) => state.endsWith('(healthy)'));
        });
      }),
    waitUntilReady: (origin: string) =>
      waitForStack('GET /health/ready to respond with 200', () =>
        fetch(`${origin}/health/ready`).then(({ ok }) => ok, () => false),
      ),
    readLogs: async (...services: string[]): Promise<string> => {
      const args = ['logs', '--no-color', '--tail', '60', ...services];
      const { output, errorOutput } = await tryCommand([...compose, ...args], context);

      return output + errorOutput;
    },
    /** Removes the stack's containers, networks, volumes, images and settings. */
    remove: async (): Promise<void> => {
      const down = ['down', '--volumes', '--rmi', 'local', '--remove-orphans', '--timeout', '5'];
      const removal = await tryCommand([...compose, ...down], context);
      await rm(folder, { recursive: true, force: true });
      if (removal.exitCode !== 0) throw new Error(`Cleaning up failed: ${removal.errorOutput}`);
    },
  };
}

export type Stack = Awaited<ReturnType<typeof prepareStack>>;
