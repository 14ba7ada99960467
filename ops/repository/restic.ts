import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Config } from '../../shared/node/config/config.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { Second } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import { MAX_OUTPUT_BYTES, readStderr } from '../postgres/postgres-tools.ts';

type RepositorySettings = NonNullable<Config['backup']['repository']>;

export interface Restic {
  readonly repository: RepositorySettings;
  readonly programEnvironment: Config['programEnvironment'];
  /** Folder for restic's cache, encrypted as in the repository, and for its temporary files of up to 100 MB. */
  readonly cacheDirectory: string;
  /** Host name for the site's snapshots: the one in PUBLIC_URL, because a container's host name changes. */
  readonly host: string;
}

interface ResticOptions {
  /** Working folder. Files given relative to it are stored without its path. */
  readonly cwd?: string;
  readonly signal?: AbortSignal | undefined;
}

/** A restic failure. The message contains the reason, without secrets. */
export class ResticError extends OpsError {}

/** Maximum wait for the repository's lock, which other processes hold for seconds. */
const LOCK_TIMEOUT = 60 * Second;
const LOCK_RETRY_DELAY = 1 * Second;

/** Grace period after a signal. */
const EXIT_TIMEOUT = 10 * Second;

/** In the stack, the `ssh` folder, which contains the files `key` and `known_hosts`. */
const SSH_FOLDER = '/ssh';

/** Returns restic's options for an SFTP repository, so that ssh uses the operator's key and never prompts. */
function makeSshOptions({ location }: RepositorySettings): string[] {
  if (!location.startsWith('sftp:') || !existsSync(join(SSH_FOLDER, 'key'))) return [];
  const isUrl = location.startsWith('sftp://');
  const url = isUrl ? new URL(location) : undefined;
  const target = url
    ? `${url.username ? `${decodeURIComponent(url.username)}@` : ''}${url.hostname}`
    : location.slice('sftp:'.length).split(':')[0];
  const command = [
    ...['ssh', '-F', 'none', '-i', join(SSH_FOLDER, 'key'), '-o', 'IdentitiesOnly=yes', '-o', 'BatchMode=yes'],
    ...['-o', `UserKnownHostsFile=${join(SSH_FOLDER, 'known_hosts')}`, '-o', 'StrictHostKeyChecking=yes'],
    ...['-o', 'ConnectTimeout=10', '-o', 'ServerAliveInterval=15'],
    ...(url?.port ? ['-p', url.port] : []),
    ...[target, '-s', 'sftp'],
  ];

  return ['--option', `sftp.command=${command.join(' ')}`];
}

/** Returns restic's environment. It contains the secrets, because other users can read arguments. */
function makeEnvironment({ repository, programEnvironment, cacheDirectory }: Omit<Restic, 'host'>) {
  const { location, password, accessKey } = repository;

  return {
    ...programEnvironment,
    LC_ALL: 'C',
    RESTIC_REPOSITORY: location,
    RESTIC_PASSWORD: password,
    RESTIC_CACHE_DIR: cacheDirectory,
    TMPDIR: cacheDirectory,
    ...(accessKey && { AWS_ACCESS_KEY_ID: accessKey.id, AWS_SECRET_ACCESS_KEY: accessKey.secret }),
  };
}

function listSecrets({ location, password, accessKey }: RepositorySettings): string[] {
  const [, login] = /\/\/([^/@]+)@/.exec(location) ?? [];
  const [, word] = /:(.*)/.exec(login ?? '') ?? [];

  return [login, word, word && decodeURIComponent(word), password, accessKey?.id, accessKey?.secret].filter(
    (secret): secret is string => Boolean(secret),
  );
}

/** Extracts a line's message. Since 0.17, restic writes objects with `--json` (see "Scripting" in its manual). */
function readMessage(line: string): string {
  const [, message] = /^\{.*"message":("(?:[^"\\]|\\.)*")/.exec(line) ?? [];

  return message === undefined ? line : `error: ${JSON.parse(message)}`;
}

/** Returns advice if access to a repository's folder is denied, as it should be while the disk isn't mounted. */
const explainPermissions = (message: string, { location }: RepositorySettings): string =>
  location.startsWith('/') && /permission denied/i.test(message)
    ? `. Is the disk mounted? ${location} and everything in it must belong to user ${process.getuid?.()} (on the host: chown -R)`
    : '';

function extractErrors(stderr: string, repository: RepositorySettings): string {
  const lines = stderr.split('\n').map(readMessage).filter((line) => /^(?:Fatal|error|ssh|subprocess ssh|unable|repo|.*: Permission)/i.test(line));
  const message = lines.slice(0, 5).join('; ') || 'without an error message';
  const shown = listSecrets(repository).reduce((text, secret) => text.replaceAll(secret, '***'), message);

  return `${shown}${explainPermissions(message, repository)}`;
}

const isLocked = (error: unknown): boolean =>
  error instanceof ResticError && /already locked/.test(error.message);

async function runOnce(
  { repository, programEnvironment, cacheDirectory }: Restic,
  args: readonly string[],
  { cwd, signal }: ResticOptions,
): Promise<string> {
  await mkdir(cacheDirectory, { recursive: true, mode: 0o700 });
  const running = promisify(execFile)('restic', [...makeSshOptions(repository), ...args], {
    env: makeEnvironment({ repository, programEnvironment, cacheDirectory }),
    maxBuffer: MAX_OUTPUT_BYTES,
    // On SIGTERM restic would leave its lock behind.
    killSignal: 'SIGINT',
    ...(cwd !== undefined && { cwd }),
    ...(signal && { signal }),
  });
  const closed = new Promise((resolve) => running.child.once('close', resolve));

  try {
    return (await running).stdout;
  } catch (error) {
    // restic removes its lock before it exits, unless it hangs.
    if (signal?.aborted) await Promise.race([closed, wait(EXIT_TIMEOUT, undefined, { ref: false })]);
    signal?.throwIfAborted();
    if (getErrorCode(error) === 'ENOENT') {
      throw new OpsError('restic is not installed: BACKUP_REPOSITORY needs it. The ops image has it.');
    }
    throw new ResticError(`restic ${args[0]} failed: ${extractErrors(readStderr(error), repository)}`);
  }
}

/** Runs restic and returns its output. Waits up to a minute for a lock, and removes stale ones. */
export async function runRestic(
  restic: Restic,
  args: readonly string[],
  options: ResticOptions = {},
): Promise<string> {
  const deadline = performance.now() + LOCK_TIMEOUT;

  for (let isUnlocked = false; ; isUnlocked = true) {
    try {
      return await runOnce(restic, args, options);
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error;
      if (!isUnlocked) await runOnce(restic, ['unlock'], { signal: options.signal });
      await wait(LOCK_RETRY_DELAY, undefined, { signal: options.signal }).catch(() => options.signal?.throwIfAborted());
    }
  }
}
