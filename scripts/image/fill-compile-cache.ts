import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '../free-port.ts';

/** Starts web and requests a page during the image build, to fill NODE_COMPILE_CACHE. */

const START_TIMEOUT_MS = 60_000;

/** Settings required to start web. Web connects to neither server here. */
const settings = {
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  COOKIE_SECRET: 'only while the image is being built',
  HOST: '127.0.0.1',
};

const port = String(await findFreePort());
const web = spawn(process.execPath, ['server/main.ts'], {
  env: { ...process.env, ...settings, PORT: port },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const exit = once(web, 'exit') as Promise<[code: number | null]>;
const deadline = performance.now() + START_TIMEOUT_MS;
while (!(await fetch(`http://127.0.0.1:${port}/`).then(({ ok }) => ok, () => false))) {
  const hasExited = web.exitCode !== null || web.signalCode !== null;
  if (hasExited || performance.now() > deadline) throw new Error('web did not respond.');
  await wait(50);
}
web.kill('SIGTERM');
const [code] = await exit;
if (code !== 0) throw new Error(`web exited with ${code}.`);
await import(join(process.cwd(), 'shared/node/queues/bullmq.ts'));
