import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/*
 * Loaded before the web process (`node --import`). The header below sets how long a request blocks the event loop, in
 * milliseconds, as if the process were rendering many pages.
 */

const HEADER = 'x-late-by';

subscribe('http.server.request.start', (message) => {
  const { headers } = (message as { readonly request: IncomingMessage }).request;
  const end = performance.now() + Number(headers[HEADER] ?? 0);
  while (performance.now() < end);
});
