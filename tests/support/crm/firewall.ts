import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An HTTP firewall before a server, which refuses what has a word in it. */
export interface Firewall {
  readonly url: string;
  /** Refuses everything from now on, or only what has the word in it. */
  refuseAll(isOn: boolean): void;
  close(): Promise<void>;
}

interface FirewallRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a firewall that responds with a refusal instead of passing on a body with `word` in it. */
export async function startFirewall(
  target: string,
  word: string,
  refusal: FirewallRefusal = { status: 403 },
): Promise<Firewall> {
  let refusesAll = false;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      if (refusesAll || body.includes(word)) {
        const headers = { 'content-type': 'text/html', ...refusal.headers };
        response.writeHead(refusal.status, headers).end('<h1>Blocked</h1>');

        return;
      }
      const { host: _host, connection: _connection, ...headers } = request.headers;
      const upstream = await fetch(target + (request.url ?? ''), {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(body === '' ? {} : { body }),
      });
      response.writeHead(upstream.status).end(await upstream.text());
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuseAll: (isOn) => {
      refusesAll = isOn;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
