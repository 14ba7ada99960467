import { execFile } from 'node:child_process';
import { glob, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFile(new URL(file, root), 'utf8');

const { version } = JSON.parse(await read('package.json')) as { readonly version: string };

interface Stack {
  readonly services: Readonly<Record<string, { readonly image?: string; readonly build?: { readonly target: string } }>>;
  readonly networks: unknown;
  readonly volumes: unknown;
}

test('workflows pin every action to a commit and every image to a digest', async () => {
  for await (const file of glob('.github/workflows/*.yml', { cwd: root })) {
    const text = await read(file);
    for (const line of text.match(/^.*\buses:.*$/gm) ?? []) {
      expect(line).toMatch(/^ +(?:- )?uses: [\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
    for (const line of text.match(/^ +image:.*$/gm) ?? []) expect(line).toMatch(/: [a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  }
});

test('a release’s Compose file differs only in having images instead of builds', async () => {
  const env = { PATH: process.env['PATH'], IMAGE_PREFIX: 'registry.example.com/website' };
  const { stdout } = await promisify(execFile)('bash', ['deploy/release.sh', 'compose'], { cwd: root, env });
  const compose = parse(await read('docker-compose.yml'), { merge: true }) as Stack;
  const release = parse(stdout, { merge: true }) as Stack;

  expect({ networks: release.networks, volumes: release.volumes }).toEqual({ networks: compose.networks, volumes: compose.volumes });
  expect(Object.keys(release.services)).toEqual(Object.keys(compose.services));
  for (const [name, { image, ...service }] of Object.entries(release.services)) {
    const { build, ...built } = compose.services[name] ?? {};
    expect({ image, ...service }).toEqual({
      ...built,
      ...(build && { image: `registry.example.com/website-${build.target}:${version}` }),
    });
  }
});

// Cloning can take many seconds on a busy machine.
test('publishing a release writes its archive, its Compose file and their checksums', { timeout: 60_000 }, async () => {
  const folder = makeTemporaryFolder();
  const [clone, programs, output] = [join(folder, 'clone'), join(folder, 'programs'), join(folder, 'output')];
  await Promise.all([mkdir(programs), mkdir(output)]);
  // No registry is contacted: the fake docker prints a digest, and the fake cosign does nothing.
  await writeFile(join(programs, 'docker'), `#!/bin/sh\necho sha256:${'0'.repeat(64)}\n`, { mode: 0o755 });
  await writeFile(join(programs, 'cosign'), '#!/bin/sh\n', { mode: 0o755 });
  const env = { PATH: [programs, process.env['PATH']].join(delimiter), IMAGE_PREFIX: 'registry.example.com/website' };
  const run = (cwd: string, program: string, ...args: string[]) => promisify(execFile)(program, args, { cwd, env });
  await run(folder, 'git', 'clone', '--quiet', '--depth=1', root.href, clone);

  await run(clone, 'bash', 'deploy/release.sh', 'publish', output);

  const name = `website-${version}.tar.gz`;
  await run(output, 'sha256sum', '--check', 'SHA256SUMS');
  const packed = await run(output, 'tar', '--extract', '--to-stdout', '--file', name, 'website/docker-compose.yml');
  expect(packed.stdout).toContain(`image: 'registry.example.com/website-site:${version}'`);
  expect(await readFile(join(output, 'docker-compose.yml'), 'utf8')).toBe(packed.stdout);
  expect((await readdir(output)).sort()).toEqual(['SHA256SUMS', 'docker-compose.yml', name]);
});
