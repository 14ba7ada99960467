import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/*
 * Loaded before the web process (`node --import`): a request with this header finds the event loop as
 * late as after many renderings in one turn.
 */

const HEADER = 'x-late-by';

subscribe('http.server.request.start', (message) => {
  const { headers } = (message as { readonly request: IncomingMessage }).request;
  const end = performance.now() + Number(headers[HEADER] ?? 0);
  while (performance.now() < end);
});
