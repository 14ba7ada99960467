import { once } from 'node:events';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { connect as connectPlainly, type TcpNetConnectOpts } from 'node:net';
import { connect as connectSecurely, type ConnectionOptions } from 'node:tls';
import { routePatterns } from '../../shared/paths.ts';

/** Requests per connection. Twelve connections send more of them than the proxy's largest pool has connections. */
const POSTS = 55;

/** A form without a name. The response repeats its message, which is larger than one of the proxy's buffers. */
const BAD_FORM = new URLSearchParams({ message: '"'.repeat(5_000) }).toString();

/** Returns the status of a response; 0 if the stream ended without a response. */
export const readStatus = (stream: ClientHttp2Stream): Promise<number> =>
  new Promise((resolve) => {
    stream.once('response', ({ ':status': status = 0 }) => resolve(status));
    stream.once('close', () => resolve(0));
  });

/** Opens an HTTP/2 connection over which a server can send response headers, but no data. */
export async function openUnread(
  to: TcpNetConnectOpts,
  { servername, ca }: Pick<ConnectionOptions, 'ca'> & { readonly servername: string },
): Promise<ClientHttp2Session> {
  const session = connect(`https://${servername}`, {
    createConnection: () => connectSecurely({ socket: connectPlainly(to), servername, ca, ALPNProtocols: ['h2'] }),
    settings: { initialWindowSize: 0 },
  }).on('error', () => undefined);
  await once(session, 'connect');

  return session;
}

/**
 * Posts invalid forms over each connection, one after another, so web isn't too busy to respond. Never reads the
 * response data.
 * @returns the statuses of the responses
 */
export async function postUnread(sessions: readonly ClientHttp2Session[], authority: string): Promise<number[]> {
  const headers = {
    ':method': 'POST',
    ':path': routePatterns.contact,
    ':authority': authority,
    accept: 'text/html',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(BAD_FORM.length),
  };
  const statuses: number[] = [];
  const attack = async (session: ClientHttp2Session) => {
    for (let posts = 0; posts < POSTS; posts += 1) {
      const stream = session.request(headers).on('error', () => undefined);
      stream.end(BAD_FORM);
      statuses.push(await readStatus(stream));
    }
  };
  await Promise.all(sessions.map(attack));

  return statuses;
}
