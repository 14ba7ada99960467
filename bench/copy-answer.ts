import { writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** An answer of the site as it went over the wire, for a baseline to send. */
export interface CopiedAnswer {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The body, maybe compressed. */
  readonly base64: string;
}

/** Headers of one connection or one moment, which whoever sends the answer makes itself. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/**
 * Writes what the site answers at a path into a file.
 * @param headers of the request
 */
export async function copyAnswer(
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  file: string,
): Promise<void> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(origin + path, { headers }, resolve).on('error', reject);
  });
  const kept = Object.entries(answer.headers).filter(([name]) => !OWN_HEADERS.has(name));
  const base64 = (await buffer(answer)).toString('base64');
  const copy = { path, headers: Object.fromEntries(kept), base64 };
  await writeFile(file, JSON.stringify(copy));
}
