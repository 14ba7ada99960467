import { once } from 'node:events';
import { request as requestPlainly, type IncomingMessage } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { HeaderPairs } from './header-rules.ts';
import { waitFor } from './wait-for.ts';

/** A response as it was received, including repeated headers. */
export interface RawResponse {
  readonly status: number;
  readonly pairs: HeaderPairs;
  readonly body: string;
  /** The first value of a header. */
  readonly header: (name: string) => string | undefined;
}

function makeResponse(status: number, pairs: HeaderPairs, body: Buffer): RawResponse {
  const header = (name: string) => pairs.find(([each]) => each.toLowerCase() === name)?.[1];

  return { status, pairs, body: body.toString(), header };
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The certificate authorities that the client trusts. */
  readonly ca?: string;
}

function pairUp([name, value, ...rest]: readonly string[]): HeaderPairs {
  return name === undefined || value === undefined ? [] : [[name, value], ...pairUp(rest)];
}

/**
 * Sends a request over a new connection, with no headers other than these, Host and Content-Length.
 * @param url the request goes to its port on 127.0.0.1; its host is used only for Host and TLS
 */
export async function requestRaw(
  url: string,
  { method = 'GET', headers = {}, body, ca }: RawRequest = {},
): Promise<RawResponse> {
  const { protocol, hostname, host, port, pathname, search } = new URL(url);
  const request = (protocol === 'https:' ? requestSecurely : requestPlainly)({
    host: '127.0.0.1',
    port,
    path: pathname + search,
    method,
    headers: { host, ...headers },
    servername: hostname,
    ca,
    agent: false,
  });
  // The server may close the connection after its response while the client is still sending. Only the response counts.
  const responded = once(request, 'response');
  request.on('error', () => undefined).end(body);
  const [response] = (await responded) as [IncomingMessage];

  return makeResponse(response.statusCode ?? 0, pairUp(response.rawHeaders), await buffer(response));
}

function parseResponse(bytes: Buffer): RawResponse {
  const end = bytes.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString().split('\r\n');
  const pairs = lines.map((line) => {
    const [name = '', ...rest] = line.split(':');

    return [name, rest.join(':').trim()] as const;
  });

  return makeResponse(Number(statusLine.split(' ')[1]), pairs, bytes.subarray(end + 4));
}

/**
 * Sends raw text, waits until the server closes the connection, and returns the response. A server that refuses the
 * text before it has received all of it may reset the connection after its response.
 */
export function sendText(origin: string, text: string): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('error', (error) => {
      if (chunks.length === 0) reject(error);
    });
    socket.once('close', () => resolve(parseResponse(Buffer.concat(chunks))));
  });
}

export interface Connection {
  readonly send: (text: string) => void;
  /** Resolves to everything received, once it contains `mark`. */
  readonly receive: (mark: string) => Promise<string>;
  /** Everything received so far. */
  readonly received: () => string;
  readonly isClosed: () => boolean;
}

/** Opens a connection that stays open until the server closes it or the test ends. */
export async function openConnection(origin: string): Promise<Connection> {
  const { hostname, port } = new URL(origin);
  const socket: Socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');

  return {
    send: (text) => void socket.write(text),
    receive: async (mark) => {
      await waitFor(`a response with ${mark}`, () => received.includes(mark));

      return received;
    },
    received: () => received,
    isClosed: () => socket.closed,
  };
}
