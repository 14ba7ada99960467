import { fileURLToPath } from 'node:url';

/*
 * The process of the file FAILING_ENTRY, with a fault injected: at SIGUSR2 a promise is rejected that
 * nobody awaits. Its message is what must not be logged.
 */
process.on('SIGUSR2', () => {
  void Promise.reject(new Error('injected for ada@example.org'));
});

const root = new URL('../../', import.meta.url);
await import(fileURLToPath(new URL(process.env['FAILING_ENTRY'] ?? '', root)));
