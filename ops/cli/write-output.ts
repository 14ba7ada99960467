import { randomUUID } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../../shared/node/files/sync-folder.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { OpsError } from './session.ts';

/** The finished file is renamed over an existing one; as root that would replace `/dev/null`. */
async function refuseSpecialFile(path: string): Promise<void> {
  const existing = await lstat(path).catch(() => undefined);
  if (existing && !existing.isFile()) {
    throw new OpsError(`${path} is not a regular file: choose another name, or none and redirect with \`>\`.`);
  }
}

/** To a stream that stays open, or is closed by a reader that has enough. */
async function writeToStream(text: AsyncIterable<string>, stream: Writable): Promise<void> {
  try {
    await pipeline(Readable.from(text), stream, { end: false });
  } catch (error) {
    if (getErrorCode(error) !== 'EPIPE') throw error;
  }
}

/**
 * Writes text to a file that only its owner may read, all of it or nothing; without a path to
 * `stdout`, which stays open, until its reader has enough.
 * @throws OpsError when the path is a device, link or folder; what the text throws; the file system's
 *   errors
 */
export async function writeOutput(
  text: AsyncIterable<string>,
  stdout: Writable,
  path?: string,
): Promise<void> {
  if (path === undefined) return writeToStream(text, stdout);
  const target = resolve(path);
  await refuseSpecialFile(target);
  const part = `${target}.${randomUUID()}.part`;
  const file = await open(part, 'wx', 0o600);

  try {
    for await (const chunk of text) await file.writeFile(chunk);
    await file.sync();
    await file.close();
    await rename(part, target);
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    throw error;
  }
  await syncFolder(dirname(target));
}
