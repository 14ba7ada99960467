import { randomUUID } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../../shared/node/files/sync-folder.ts';
import { OpsError } from './session.ts';

/** The finished file is renamed over an existing one; as root that would replace `/dev/null`. */
async function refuseSpecialFile(path: string): Promise<void> {
  const existing = await lstat(path).catch(() => undefined);
  if (existing && !existing.isFile()) {
    throw new OpsError(`${path} is not a regular file: choose another name, or none and redirect with \`>\`.`);
  }
}

/**
 * Writes text to a file that only its owner may read, all of it or nothing; without a path to
 * `stdout`, which stays open.
 * @throws OpsError when the path is a device, link or folder; what the text throws; the file system's
 *   errors
 */
export async function writeOutput(
  text: AsyncIterable<string>,
  stdout: Writable,
  path?: string,
): Promise<void> {
  if (path === undefined) {
    await pipeline(Readable.from(text), stdout, { end: false });

    return;
  }
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
