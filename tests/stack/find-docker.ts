import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findMemoryFolder } from '../../scripts/memory-folder.ts';
import { projectRoot } from '../../scripts/processes.ts';
import { runCommand, tryCommand } from './run-command.ts';

/** How to call Docker on this machine. */
export interface Docker {
  readonly name: string;
  /** The environment in which `docker`, Compose and scripts that call them reach the engine. */
  readonly env: NodeJS.ProcessEnv;
  /** The Compose command without arguments. Compose 2 is part of `docker`, and Compose 1 is a separate program. */
  readonly compose: readonly string[];
  /** Provides the base images that a folder's compose file and Dockerfile need. */
  readonly provideImages: (folder: string) => Promise<unknown>;
}

const offlineDocker = join(projectRoot, '..', 'shared', 'tools', 'offline-docker');

async function succeeds(command: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    return (await tryCommand(command, { env, cwd: projectRoot })).exitCode === 0;
  } catch {
    // The program doesn't exist.
    return false;
  }
}

/** Finds Compose as the scripts do (deploy/find-compose.sh). */
async function findCompose(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  for (const compose of [['docker', 'compose'], ['docker-compose']]) {
    if (await succeeds([...compose, 'version'], env)) return compose;
  }
  throw new Error('A Docker engine is running, but Docker Compose is not installed.');
}

/** Returns the setting that keeps the stand-in's images and containers in memory, if there is enough memory. */
async function chooseStandInFolder(): Promise<NodeJS.ProcessEnv> {
  const folder = await findMemoryFolder();

  return folder === undefined ? {} : { OFFLINE_DOCKER_STATE: join(folder, 'offline-docker') };
}

/**
 * Finds the machine's Docker engine or, if none is running, starts the offline stand-in.
 * @throws an error if neither exists
 */
export async function findDocker(env: NodeJS.ProcessEnv): Promise<Docker> {
  if (await succeeds(['docker', 'info'], env)) {
    // Compose pulls the images itself.
    return { name: 'the Docker engine', env, compose: await findCompose(env), provideImages: async () => {} };
  }
  if (!existsSync(offlineDocker)) {
    throw new Error('No Docker engine is running, and ../shared/tools/offline-docker does not exist.');
  }
  const offlineEnv = { ...(await chooseStandInFolder()), ...env };
  const provideImages = (cwd: string) => runCommand([offlineDocker, 'up'], { env: offlineEnv, cwd });
  await provideImages(projectRoot);
  const host = ['docker', 'context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'];
  const ownEnv = {
    ...offlineEnv,
    DOCKER_HOST: (await runCommand([offlineDocker, ...host], { env: offlineEnv, cwd: projectRoot })).trim(),
    // The stand-in installs Debian's programs in /usr/bin.
    PATH: ['/usr/bin', env['PATH']].filter(Boolean).join(delimiter),
  };

  return {
    name: 'the offline stand-in for Docker',
    env: ownEnv,
    compose: await findCompose(ownEnv),
    provideImages,
  };
}
