import { randomUUID } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../../shared/node/files/sync-folder.ts';
import { OpsError } from './session.ts';

/** A finished file takes the place of what has its name: root would so lose `/dev/null`. */
async function refuseSpecialFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isFile()) {
    throw new OpsError(`${path} is not an ordinary file: give another name, or none and a \`>\`.`);
  }
}

/**
 * Writes text to a file that only its owner may read, whole or not at all; without a path to
 * standard output.
 * @throws OpsError when the path is that of a device, a link or a folder; what the text throws; or
 * when the file can't be written
 */
export async function writeOutput(text: AsyncIterable<string>, path?: string): Promise<void> {
  if (path === undefined) {
    await pipeline(Readable.from(text), process.stdout, { end: false });

    return;
  }
  const target = resolve(path);
  await refuseSpecialFile(target);
  const draft = `${target}.${randomUUID()}.part`;
  const file = await open(draft, 'wx', 0o600);

  try {
    for await (const part of text) await file.writeFile(part);
    await file.sync();
    await file.close();
    await rename(draft, target);
  } catch (error) {
    await file.close();
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(target));
}
