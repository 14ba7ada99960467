import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below what systems give to outgoing connections, which could take a stopped server's port. */
const RANGE = [15_000, 32_000] as const;

/** A port nobody listens on now. */
export async function findFreePort(): Promise<number> {
  const port = randomInt(...RANGE);
  const isFree = await new Promise<boolean>((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

  return isFree ? port : findFreePort();
}
