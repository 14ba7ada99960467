import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports of outgoing connections, so that a retrying client can't take a stopped server's port. */
const PORT_RANGE = [15_000, 32_000] as const;

/** Whether nobody listens there; rejects when listening is not possible for another reason. */
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

/** A port on the loopback interface that nobody listens on now. */
export async function findFreePort(): Promise<number> {
  const port = randomInt(...PORT_RANGE);

  return (await isPortFree(port)) ? port : findFreePort();
}
