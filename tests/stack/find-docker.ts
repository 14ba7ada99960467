import { existsSync } from 'node:fs';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../../scripts/processes.ts';
import { runCommand, tryCommand } from './run-command.ts';

/** How to call Docker here; arguments are appended. */
export interface Docker {
  readonly name: string;
  readonly docker: readonly string[];
  readonly compose: readonly string[];
  /** Folder of programs with Docker's names to put before PATH, for scripts that call them. */
  readonly programs: string | undefined;
}

const offlineDocker = join(projectRoot, '..', 'shared', 'tools', 'offline-docker');

async function succeeds(command: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    return (await tryCommand(command, { env, cwd: projectRoot })).exitCode === 0;
  } catch {
    // There is no such program.
    return false;
  }
}

/** The stand-in under the programs' usual names. */
async function writePrograms(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stack-test-docker-'));
  for (const [name, command] of [
    // Compose 2 is part of `docker`; the stand-in has the last Compose 1.
    ['docker', `[ "\${1:-}" != compose ] || exit 1\nexec '${offlineDocker}' docker "$@"`],
    ['docker-compose', `exec '${offlineDocker}' compose "$@"`],
  ] as const) {
    const file = join(folder, name);
    await writeFile(file, `#!/bin/sh\n${command}\n`);
    await chmod(file, 0o755);
  }

  return folder;
}

/**
 * Finds the machine's Docker engine or, where none runs, starts the offline stand-in.
 * @throws when there is neither
 */
export async function findDocker(env: NodeJS.ProcessEnv): Promise<Docker> {
  if (await succeeds(['docker', 'info'], env)) {
    for (const compose of [['docker', 'compose'], ['docker-compose']]) {
      if (await succeeds([...compose, 'version'], env)) {
        return { name: 'the Docker engine', docker: ['docker'], compose, programs: undefined };
      }
    }
    throw new Error('A Docker engine runs here, but Docker Compose is not installed.');
  }
  if (!existsSync(offlineDocker)) {
    throw new Error('No Docker engine runs here, and there is no ../shared/tools/offline-docker.');
  }
  await runCommand([offlineDocker, 'up'], { env, cwd: projectRoot });

  return {
    name: 'the offline stand-in for Docker',
    docker: [offlineDocker, 'docker'],
    compose: [offlineDocker, 'compose'],
    programs: await writePrograms(),
  };
}

/** PATH with the programs of the stand-in first. */
export function addPrograms({ programs }: Docker, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return programs === undefined
    ? env
    : { ...env, PATH: [programs, env['PATH']].filter(Boolean).join(delimiter) };
}
