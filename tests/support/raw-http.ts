import { request } from 'node:http';
import { connect } from 'node:net';
import type { HeaderPairs } from './header-list.ts';

/** An answer as it came over the wire: headers doubled if they were sent twice. */
export interface RawAnswer {
  readonly status: number;
  readonly pairs: HeaderPairs;
  readonly body: Buffer;
  readonly header: (name: string) => string | undefined;
}

function makeAnswer(status: number, pairs: HeaderPairs, body: Buffer): RawAnswer {
  const header = (name: string) => pairs.find(([each]) => each.toLowerCase() === name)?.[1];

  return { status, pairs, body, header };
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request on a connection of its own, with exactly these headers besides Host and length. */
export function ask(
  url: string,
  { method = 'GET', headers = {}, body }: RawRequest = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { rawHeaders } = answer;
        const pairs = rawHeaders.flatMap((name, index) =>
          index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
        );
        resolve(makeAnswer(answer.statusCode ?? 0, pairs, Buffer.concat(chunks)));
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString().split('\r\n');
  const pairs = lines.map((line) => {
    const [name = '', ...rest] = line.split(':');

    return [name, rest.join(':').trim()] as const;
  });

  return makeAnswer(Number(statusLine.split(' ')[1]), pairs, bytes.subarray(end + 4));
}

/**
 * Sends `text` as it is and waits until the other side closes; resolves to what came back. Who
 * refuses before all has arrived may reset the connection after the answer.
 */
export function sendText(origin: string, text: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('error', (error) => {
      if (chunks.length === 0) reject(error);
    });
    socket.once('close', () => resolve(parseAnswer(Buffer.concat(chunks))));
  });
}
