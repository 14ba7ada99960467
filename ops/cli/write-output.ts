import { randomUUID } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { syncFolder } from '../../shared/node/files/sync-folder.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { OpsError } from './session.ts';

/** Throws if the path isn't a regular file. The output would replace it, even `/dev/null` if run as root. */
async function refuseSpecialFile(path: string): Promise<void> {
  const existing = await lstat(path).catch(() => undefined);
  if (existing && !existing.isFile()) {
    throw new OpsError(`${path} is not a regular file: choose another name, or omit it and redirect with \`>\`.`);
  }
}

/** Returns false if the reader has closed the stream. */
const writeChunk = (stream: Writable, chunk: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    stream.write(chunk, (error) => {
      if (error && getErrorCode(error) !== 'EPIPE') reject(error);
      else resolve(!error);
    });
  });

/** Writes text to a stream until its reader closes it. Doesn't end the stream. */
export async function writeToStream(text: AsyncIterable<string>, stream: Writable): Promise<void> {
  for await (const chunk of text) if (!(await writeChunk(stream, chunk))) return;
}

/** Writes text to a file that only its owner may read, completely or not at all. @throws OpsError if it is not a regular file */
export async function writeToFile(text: AsyncIterable<string>, path: string, signal: AbortSignal): Promise<void> {
  const target = resolve(path);
  await refuseSpecialFile(target);
  const part = `${target}.${randomUUID()}.part`;
  const file = await open(part, 'wx', 0o600).catch((error: unknown) => {
    throw new OpsError(`${target} can't be written (${getErrorCode(error)}).`);
  });

  try {
    for await (const chunk of text) {
      signal.throwIfAborted();
      await file.writeFile(chunk);
    }
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
