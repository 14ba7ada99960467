import { readFile } from 'node:fs/promises';

/** Returns the number of established connections to a URL's port on this machine, as Linux reports it. */
export async function readOpenConnections(url: string): Promise<number> {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8')),
  );
  const established = new RegExp(`^ *\\d+: \\w+:${port} \\w+:\\w+ 01 `, 'gm');

  return tables.join('').match(established)?.length ?? 0;
}
