import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Runs in each page before the page's own scripts and collects errors in `window.reported`. */
const probe = () => {
  const reported: string[] = [];
  Object.assign(window, { reported });
  Object.assign(console, { error: (...words: unknown[]) => reported.push(words.join(' ')) });
  const describe = ({ target }: Event) => (target instanceof Element ? target.outerHTML : 'unknown');
  addEventListener('error', (event) => reported.push(event instanceof ErrorEvent ? event.message : describe(event)), true);
  addEventListener('unhandledrejection', ({ reason }) => reported.push(String(reason)));
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    reported.push(`policy: ${violatedDirective} ${blockedURI}`),
  );
};

const PROBE = '/probe.js';

/**
 * Starts a proxy in front of a site. It adds to each page a script that lists errors and policy violations, because
 * WebKit's driver reports neither.
 */
export async function startErrorProbe(origin: string) {
  const proxy = createServer((incoming, outgoing) => {
    if (incoming.url === PROBE) return outgoing.setHeader('content-type', 'text/javascript').end(`(${String(probe)})()`);
    const headers = { ...incoming.headers, 'accept-encoding': 'identity' };
    const { method } = incoming;
    const forwarded = request(new URL(incoming.url ?? '/', origin), { method, headers }, (response) => {
      const isPage = response.headers['content-type']?.startsWith('text/html');
      if (isPage) delete response.headers['content-length'];
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      if (!isPage) return response.pipe(outgoing);

      return text(response).then((html) => outgoing.end(html.replace('<head>', `<head><script src="${PROBE}"></script>`)));
    });

    return incoming.pipe(forwarded);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');

  return {
    origin: `http://localhost:${(proxy.address() as AddressInfo).port}`,
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
