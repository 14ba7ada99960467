import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readlink, rm, truncate, writeFile } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { serveStaticFiles } from './static-files.ts';

/** More than the kernel can buffer of an unread response. */
const HUGE = 64 * 1024 * 1024;

async function countOpenFiles(folder: string): Promise<number> {
  const names = await readdir('/proc/self/fd');
  const links = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));

  return links.filter((link) => link.startsWith(folder)).length;
}

test('unread downloads keep no more files open than the limit allows', async () => {
  const root = await mkdtemp(join(tmpdir(), 'static-files-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = join(root, 'client');
  await mkdir(folder);
  await writeFile(join(folder, 'huge'), '');
  await truncate(join(folder, 'huge'), HUGE);
  const app = Fastify({ forceCloseConnections: true });
  await serveStaticFiles(app, [root], 3);
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  for (let count = 0; count < 10; count += 1) {
    const socket = connect(port, '127.0.0.1').pause().on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write('GET /huge HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(app.server, 'request');
  }

  await expect.poll(() => countOpenFiles(root)).toBe(3);
});
