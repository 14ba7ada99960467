import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { projectRoot } from '../../scripts/processes.ts';
import { findFreePort } from '../../scripts/free-port.ts';
import { waitFor } from '../support/wait-for.ts';
import { findDocker } from './find-docker.ts';
import { runCommand, tryCommand, type CommandResult } from './run-command.ts';

/** What the checks read of `docker inspect`. */
export interface Container {
  readonly Id: string;
  readonly State: {
    readonly Status: string;
    readonly ExitCode: number;
    readonly Health?: { readonly Status: string };
  };
  readonly Config: { readonly User: string; readonly Labels: Readonly<Record<string, string>> };
  readonly HostConfig: {
    readonly ReadonlyRootfs: boolean;
    readonly CapDrop: readonly string[] | null;
    readonly SecurityOpt: readonly string[] | null;
    readonly PortBindings: Readonly<Record<string, unknown>> | null;
  };
  readonly Mounts: ReadonlyArray<{ readonly Type: string; readonly Name?: string }>;
  readonly NetworkSettings: { readonly Networks: Readonly<Record<string, unknown>> };
}

export type Settings = Readonly<Record<string, string>>;

const LIST_FILES = `
  const { readdirSync, readFileSync } = require('node:fs');
  const [folder] = process.argv.slice(1);
  const names = readdirSync(folder).filter((name) => !name.endsWith('.part'));
  const read = (name) => readFileSync(folder + '/' + name, 'utf8');
  console.log(JSON.stringify(names.map((name) => [name, read(name)])));
`;

const serviceOf = ({ Config }: Container): string =>
  Config.Labels['com.docker.compose.service'] ?? '';

/** `.env.example` as an operator fills it in: every required value made up, then `changes`. */
async function fillInExample(changes: Settings): Promise<string> {
  const example = await readFile(join(projectRoot, '.env.example'), 'utf8');
  const makeSecret = () => randomBytes(24).toString('hex');
  const filledIn = example.replace(/^[A-Z_]+=$/gm, (line) => line + makeSecret());
  const changed = Object.entries(changes).map(([name, value]) => `${name}=${value}\n`);

  return filledIn + changed.join('');
}

/** The environment without what would change the stack: settings and npm's own variables. */
async function makeCleanEnvironment(): Promise<NodeJS.ProcessEnv> {
  const example = await readFile(join(projectRoot, '.env.example'), 'utf8');
  const settings = new Set([...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name));
  const kept = Object.entries(process.env).filter(
    ([name]) => !settings.has(name) && !/^(npm_|COMPOSE_)/i.test(name),
  );

  return { ...Object.fromEntries(kept), DOCKER_BUILDKIT: '1', COMPOSE_DOCKER_CLI_BUILD: '1' };
}

/** Prepares a stack with names, volumes and a port of its own; nothing of it is started. */
export async function prepareStack() {
  const env = await makeCleanEnvironment();
  const { name: engine, docker, compose } = await findDocker(env);
  const folder = await mkdtemp(join(tmpdir(), 'stack-test-'));
  const project = `website-test-${randomBytes(4).toString('hex')}`;
  const port = await findFreePort();
  const own = {
    PORT: String(port),
    VOLUME_PREFIX: project,
    FOLLOW_UP_REMINDER_AFTER: '2s',
    FOLLOW_UP_AFTER: '4s',
  };

  const writeSettings = async (file: string, makeText: (path: string) => Promise<string>) => {
    const path = join(folder, file);
    await writeFile(path, await makeText(path), { mode: 0o600 });

    return path;
  };
  const settingsFile = await writeSettings('settings', (path) =>
    fillInExample({ ...own, ENV_FILE: path }),
  );
  const composeWith = (file: string, ...args: string[]) => [
    ...compose,
    ...['--project-name', project, '--env-file', file],
    ...args,
  ];
  const runCompose = (...args: string[]) => runCommand(composeWith(settingsFile, ...args), env);
  const runDocker = (...args: string[]) => runCommand([...docker, ...args], env);
  const runNode = (service: string, ...script: string[]) =>
    runCompose('exec', '-T', service, 'node', '-e', ...script);

  /** All containers by service, those that ended too. */
  const inspect = async (): Promise<ReadonlyMap<string, Container>> => {
    const label = `label=com.docker.compose.project=${project}`;
    const ids = (await runDocker('ps', '-aq', '--filter', label)).split('\n').filter(Boolean);
    if (ids.length === 0) return new Map();
    const containers = JSON.parse(await runDocker('inspect', ...ids)) as Container[];

    return new Map(containers.map((container) => [serviceOf(container), container]));
  };

  /** Names and contents of the files in a folder of the worker. */
  const readFiles = async (path: string): Promise<ReadonlyArray<readonly [string, string]>> =>
    JSON.parse(await runNode('worker', LIST_FILES, path)) as Array<[string, string]>;

  return {
    engine,
    project,
    origin: `http://localhost:${port}`,
    compose: runCompose,
    docker: runDocker,
    runNode,
    inspect,
    /** Calls Compose with the settings changed; an empty value is as good as a missing one. */
    composeChanged: async (changes: Settings, ...args: string[]): Promise<CommandResult> => {
      const file = await writeSettings('changed', (path) =>
        fillInExample({ ...own, ENV_FILE: path, ...changes }),
      );

      return tryCommand(composeWith(file, ...args), env);
    },
    readMails: async (): Promise<Email[]> => {
      const files = await readFiles('/data/mail');

      return Promise.all(files.map(([, content]) => PostalMime.parse(content)));
    },
    readExports: async (): Promise<ReadonlyMap<string, string>> =>
      new Map(await readFiles('/data/crm')),
    readErasures: () => readFiles('/data/erasures'),
    waitUntilHealthy: (service: string) =>
      waitFor(
        `${service} to be healthy`,
        async () => (await inspect()).get(service)?.State.Health?.Status === 'healthy',
        120_000,
      ),
    readLogs: async (): Promise<string> => {
      const args = ['logs', '--no-color', '--tail', '60'];
      const { output, complaints } = await tryCommand(composeWith(settingsFile, ...args), env);

      return output + complaints;
    },
    /** Removes whatever there is of it: containers, networks, volumes, images and settings. */
    remove: async (): Promise<void> => {
      const down = ['down', '--volumes', '--rmi', 'local', '--remove-orphans', '--timeout', '5'];
      const removal = await tryCommand(composeWith(settingsFile, ...down), env);
      await rm(folder, { recursive: true, force: true });
      if (removal.exitCode !== 0) throw new Error(`Cleaning up failed: ${removal.complaints}`);
    },
  };
}

export type Stack = Awaited<ReturnType<typeof prepareStack>>;
