import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/*
 * Loaded before the web process (`node --import`). A request with the header below blocks the event loop for the
 * header's number of milliseconds, as rendering many pages at once would.
 */

const HEADER = 'x-late-by';

subscribe('http.server.request.start', (message) => {
  const { headers } = (message as { readonly request: IncomingMessage }).request;
  const end = performance.now() + Number(headers[HEADER] ?? 0);
  while (performance.now() < end);
});
