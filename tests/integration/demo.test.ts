import { cp, mkdtemp, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePort, isPortFree } from '../../scripts/free-port.ts';
import { startProgram } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

/** What a copy of the project, built as this one is, needs to run the demo. */
const PARTS = [
  ...['client', 'dist', 'jobs', 'migrations', 'ops', 'scripts', 'server', 'shared'],
  ...['package.json', 'package-lock.json', 'tsconfig.base.json', 'tsconfig.json', 'vite.config.ts'],
];

/** Copies the project, with its build and without its data. */
async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-demo-'));
  onTestFinished(async () => {
    await rm(folder, { recursive: true });
    // Where PostgreSQL's data lies when its user cannot enter the project.
    for (const name of await readdir('/var/tmp')) {
      if (name.startsWith(basename(folder))) await rm(join('/var/tmp', name), { recursive: true });
    }
  });
  for (const name of PARTS) await cp(join(rootFolder, name), join(folder, name), { recursive: true });
  await symlink(join(rootFolder, 'node_modules'), join(folder, 'node_modules'));

  return folder;
}

/** Runs the demo until it is ready, calls `work`, ends the demo as Ctrl-C does, and returns what it printed. */
async function runDemo(
  folder: string,
  settings: Readonly<Record<string, string>>,
  work: (origin: string) => Promise<void>,
): Promise<string> {
  const port = String(await findFreePort());
  const demo = startProgram(process.execPath, ['scripts/demo.ts'], { PORT: port, ...settings }, { folder });
  onTestFinished(() => demo.stop('SIGKILL').then(() => undefined));
  await waitFor('the demo', () => {
    if (demo.hasExited()) throw new Error(demo.output());

    return demo.output().includes('Ctrl-C stops everything.');
  }, 90_000);
  await work(`http://127.0.0.1:${port}`);
  expect(await demo.stop('SIGINT')).toBe(0);

  return demo.output();
}

const request = {
  id: '0a4b4f0e-6d1c-4a52-9d5b-3f7f4f1f8a10',
  ...{ name: 'Ada Example', email: 'ada@example.com', company: 'Example' },
};

/** Posts always the same request: 201 where it is new, 200 where the demo's data has it. */
async function postRequest(origin: string): Promise<number> {
  const response = await fetch(`${origin}/api/contact-submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });

  return response.status;
}

async function readRedisState(origin: string): Promise<unknown> {
  const health = (await (await fetch(`${origin}/health/ready`)).json()) as { redis: unknown };

  return health.redis;
}

test(
  'the demo runs its jobs at REDIS_URL, else on a redis-server of its own where PATH has one, else on PostgreSQL alone; it says which, ends what it started and finds its data again',
  { timeout: 300_000 },
  async () => {
    const folder = await copyProject();
    const alone = await runDemo(folder, { PATH: join(folder, 'client') }, async (origin) => {
      expect(await postRequest(origin)).toBe(201);
    });
    expect(alone).toContain('Jobs               on PostgreSQL alone (no redis-server on PATH)');
    expect(await readdir(join(folder, '.data'))).not.toContain('redis');

    let redisUrl = '';
    const own = await runDemo(folder, {}, async (origin) => {
      expect(await postRequest(origin)).toBe(200);
      expect(await readRedisState(origin)).toBe('up');
      const published = await readFile(join(folder, '.data', 'running-site.json'), 'utf8');
      redisUrl = (JSON.parse(published) as { REDIS_URL: string }).REDIS_URL;
    });
    expect(own).toMatch(/Jobs {15}on Redis \(\S+redis-server\), data in /);
    expect(await readdir(join(folder, '.data', 'redis'))).toContain('appendonlydir');
    expect(await isPortFree(Number(new URL(redisUrl).port))).toBe(true);

    const given = await runDemo(folder, { REDIS_URL: redisUrl }, async (origin) => {
      expect(await readRedisState(origin)).toBe('down');
    });
    expect(given).toContain('Jobs               on Redis at REDIS_URL');
  },
);
