import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/processes.ts';
import { runCommand, tryCommand } from './run-command.ts';

/** How to call Docker here; arguments are appended. */
export interface Docker {
  readonly name: string;
  readonly docker: readonly string[];
  readonly compose: readonly string[];
}

const offlineDocker = join(projectRoot, '..', 'shared', 'tools', 'offline-docker');

async function succeeds(command: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    return (await tryCommand(command, env)).exitCode === 0;
  } catch {
    // There is no such program.
    return false;
  }
}

/**
 * Finds the machine's Docker engine or, where none runs, starts the offline stand-in.
 * @throws when there is neither
 */
export async function findDocker(env: NodeJS.ProcessEnv): Promise<Docker> {
  if (await succeeds(['docker', 'info'], env)) {
    for (const compose of [['docker', 'compose'], ['docker-compose']]) {
      if (await succeeds([...compose, 'version'], env)) {
        return { name: 'the Docker engine', docker: ['docker'], compose };
      }
    }
    throw new Error('A Docker engine runs here, but Docker Compose is not installed.');
  }
  if (!existsSync(offlineDocker)) {
    throw new Error('No Docker engine runs here, and there is no ../shared/tools/offline-docker.');
  }
  await runCommand([offlineDocker, 'up'], env);

  return {
    name: 'the offline stand-in for Docker',
    docker: [offlineDocker, 'docker'],
    compose: [offlineDocker, 'compose'],
  };
}
