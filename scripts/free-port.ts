import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports below the range for outgoing connections. Otherwise a retrying client could occupy a stopped server's port. */
const PORT_RANGE = [15_000, 32_000] as const;

/** Returns whether the port is free. Rejects if listening fails for another reason. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(new Error(`Cannot listen on port ${port}: ${error.message}`));
    });
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

/** Returns a free port on the loopback interface. */
export async function findFreePort(): Promise<number> {
  const port = randomInt(...PORT_RANGE);

  return (await isPortFree(port)) ? port : findFreePort();
}
