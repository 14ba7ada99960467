import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../../shared/node/config/config.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { Second } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';

type RepositorySettings = NonNullable<Config['backup']['repository']>;

export interface Restic {
  readonly repository: RepositorySettings;
  readonly programEnvironment: Config['programEnvironment'];
  /** Folder for what restic caches, encrypted as in the repository, and for its temporary files of up to 100 MB. */
  readonly cacheDirectory: string;
}

interface ResticOptions {
  /** Working folder: paths of files are relative to it, and stored so. */
  readonly cwd?: string;
  readonly output?: Writable;
  readonly signal?: AbortSignal | undefined;
}

/** restic failed; the message says why, without secrets. */
export class ResticError extends OpsError {}

/** Another restic changes the repository; most take seconds. */
const LOCK_TIMEOUT = 60 * Second;
const LOCK_RETRY_DELAY = 1 * Second;

/** How long one that is told to end may take for it. */
const END_TIMEOUT = 10 * Second;

/** Where the stack has the folder `ssh` with the files `key` and `known_hosts`. */
const SSH_FOLDER = '/ssh';

/** How ssh is called for an SFTP repository: never asking, and with our own key and hosts where they are set. */
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

/** Secrets are in the environment only, which no other user reads, and of it nothing else is ours. */
function makeEnvironment({ repository, programEnvironment, cacheDirectory }: Restic) {
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

/** With `--json` restic writes its messages as objects since 0.17 (its manual, "Scripting"). */
function readMessage(line: string): string {
  const [, message] = /^\{.*"message":("(?:[^"\\]|\\.)*")/.exec(line) ?? [];

  return message === undefined ? line : `error: ${JSON.parse(message)}`;
}

/** What to do where a folder, which has no scheme, is another user's; one for a disk that isn't mounted is root's on purpose. */
const explainPermissions = (message: string, { location }: RepositorySettings): string =>
  location.startsWith('/') && /permission denied/i.test(message)
    ? `. Is the disk mounted? ${location} and all in it must belong to user ${process.getuid?.()} (on the host: chown -R)`
    : '';

function extractErrors(stderr: string, repository: RepositorySettings): string {
  const lines = stderr.split('\n').map(readMessage).filter((line) => /^(?:Fatal|error|ssh|subprocess ssh|unable|repo|.*: Permission)/i.test(line));
  const message = lines.slice(0, 5).join('; ') || 'without an error message';
  const shown = listSecrets(repository).reduce((text, secret) => text.replaceAll(secret, '***'), message);

  return `${shown}${explainPermissions(message, repository)}`;
}

const isMissingProgram = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'spawn restic' && getErrorCode(error) === 'ENOENT';

const isLocked = (error: unknown): boolean =>
  error instanceof ResticError && /already locked/.test(error.message);

async function runOnce(
  restic: Restic,
  args: readonly string[],
  { cwd, output, signal }: ResticOptions,
): Promise<string> {
  await mkdir(restic.cacheDirectory, { recursive: true, mode: 0o700 });
  const child = spawn('restic', [...makeSshOptions(restic.repository), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: makeEnvironment(restic),
    ...(cwd !== undefined && { cwd }),
    // On SIGTERM restic would leave its lock.
    ...(signal && { signal, killSignal: 'SIGINT' as const }),
  });
  const closed = once(child, 'close').catch(() => undefined);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const { stdout, stderr } = child;
  const readOutput = async () => (output ? pipeline(stdout, output).then(() => '') : text(stdout));

  try {
    const [result, errors, exitCode] = await Promise.all([readOutput(), text(stderr), ended]);
    if (exitCode === 0) return result;
    throw new ResticError(`restic ${args[0]} failed: ${extractErrors(errors, restic.repository)}`);
  } catch (error) {
    // It removes its lock before it ends, unless it hangs.
    if (signal?.aborted) await Promise.race([closed, wait(END_TIMEOUT, undefined, { ref: false })]);
    signal?.throwIfAborted();
    if (isMissingProgram(error)) {
      throw new OpsError('restic is not installed: BACKUP_REPOSITORY needs it. The ops image has it.');
    }
    throw error;
  }
}

/** Runs restic, waiting a minute for another one, and returns its output. Removes the lock of a killed one. */
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
      await wait(LOCK_RETRY_DELAY, undefined, { ...(options.signal && { signal: options.signal }) }).catch(() =>
        options.signal?.throwIfAborted(),
      );
    }
  }
}
