import { fileURLToPath } from 'node:url';

/*
 * Runs the entry file FAILING_ENTRY with an injected fault. SIGUSR2 causes an unhandled rejection, whose message must
 * not be logged.
 */
process.on('SIGUSR2', () => {
  void Promise.reject(new Error('injected for ada@example.org'));
});

const root = new URL('../../', import.meta.url);
await import(fileURLToPath(new URL(process.env['FAILING_ENTRY'] ?? '', root)));
