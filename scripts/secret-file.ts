import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withLock } from './lock.mjs';

/** Returns the secret in a file. The first call creates the file. */
export async function readOrCreateSecret(
  file: string,
  bytes: number,
  owner?: { readonly uid: number; readonly gid: number },
): Promise<string> {
  return withLock(file, async () => {
    const found = await readFile(file, 'utf8').catch(() => undefined);
    if (found) return found.trim();
    const secret = randomBytes(bytes).toString('hex');
    const partial = `${file}.new`;
    await mkdir(dirname(file), { recursive: true });
    await rm(partial, { force: true });
    await writeFile(partial, `${secret}\n`, { mode: 0o600, flag: 'wx' });
    if (owner) await chown(partial, owner.uid, owner.gid);
    await rename(partial, file);
    return secret;
  });
}
