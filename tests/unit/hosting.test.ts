import { execFile } from 'node:child_process';
import { glob, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFile(new URL(file, root), 'utf8');

async function readAll(pattern: string): Promise<ReadonlyMap<string, string>> {
  const files: string[] = [];
  for await (const file of glob(pattern, { cwd: root })) files.push(file);

  return new Map(await Promise.all(files.sort().map(async (file) => [file, await read(file)] as const)));
}

const manifest = JSON.parse(await read('package.json')) as {
  readonly version: string;
  readonly workspaces: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group: string };
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly 'timeout-minutes'?: number;
        readonly permissions?: Readonly<Record<string, string>>;
        readonly container?: { readonly image: string };
        readonly steps: ReadonlyArray<{
          readonly uses?: string;
          readonly run?: string;
          readonly with?: Readonly<Record<string, unknown>>;
        }>;
      }
    >
  >;
}

interface Stack {
  readonly services: Readonly<Record<string, { readonly image?: string; readonly build?: { readonly target: string } }>>;
  readonly networks: unknown;
  readonly volumes: unknown;
}

const sources = await readAll('.github/workflows/*.yml');
const workflows = [...sources].map(([file, text]) => [file, parse(text) as Workflow] as const);
const listSteps = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);
/** The commands of npm; other steps may only give a program of the machine another name. */
const listRuns = (workflow: Workflow) =>
  listSteps(workflow).flatMap(({ run = '' }) => (run === '' || run.startsWith('sudo ln -s /usr/bin/') ? [] : run));

/** Logging in, publishing, and making the release: no secret stands in a command. */
const isOfRelease = (run: string) =>
  ['docker login --username "$REGISTRY_USERNAME" --password-stdin', 'docker buildx create', 'deploy/release.sh ', 'gh release create'].some(
    (start) => run.startsWith(start),
  );

/** What jobs of these workflows may write: findings; releases, and the identity that signs them. */
const mayWrite: Readonly<Record<string, ReadonlyArray<readonly string[]>>> = {
  '.github/workflows/codeql.yml': [['security-events']],
  '.github/workflows/release.yml': [['contents', 'id-token']],
};

describe.each(workflows)('%s', (file, workflow) => {
  test('pins every action by the hash of a commit, with its version, and every image by its digest', () => {
    const uses = (sources.get(file) ?? '').split('\n').filter((line) => /\buses:/.test(line));

    expect(uses.length).toBe(listSteps(workflow).filter((step) => step.uses).length);
    for (const line of uses) {
      expect(line).toMatch(/^ +(?:- )?uses: [\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
    for (const { container } of Object.values(workflow.jobs)) {
      if (container) expect(container.image).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    }
  });

  test('has no permission but those that each job states', () => {
    expect(workflow.permissions).toEqual({});
    for (const { permissions = {} } of Object.values(workflow.jobs)) {
      const writing = Object.keys(permissions).filter((name) => permissions[name] !== 'read');
      expect(permissions).toHaveProperty('contents');
      expect([[], ...(mayWrite[file] ?? [])]).toContainEqual(writing);
    }
  });

  test('keeps no login in the checkout, and ends by itself', () => {
    const checkouts = listSteps(workflow).filter(({ uses }) => uses?.startsWith('actions/checkout@'));

    expect(checkouts.length).toBe(Object.keys(workflow.jobs).length);
    for (const { with: options } of checkouts) expect(options).toMatchObject({ 'persist-credentials': false });
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
    expect(workflow.concurrency?.group).toContain('github.ref');
  });

  test('runs nothing but scripts that package.json has, or what publishes a release', () => {
    for (const run of listRuns(workflow)) {
      if (isOfRelease(run)) continue;
      const [, name = ''] = /^(?:sudo env "PATH=\$PATH" )?npm (?:run )?([\w:]+)(?: -- [\w -]+)?$/.exec(run) ?? [];
      expect(Object.keys(manifest.scripts), run).toContain(name);
    }
  });
});

test('every action has one version in all workflows', () => {
  const all = workflows.flatMap(([, workflow]) => listSteps(workflow)).flatMap(({ uses }) => uses ?? []);
  // Actions of one repository, such as CodeQL's, share its commits.
  const repositories = all.map((uses) => uses.replace(/^([\w-]+\/[\w-]+).*(@.*)$/, '$1$2'));

  expect(new Set(repositories).size).toBe(new Set(repositories.map((name) => name.split('@')[0])).size);
});

test('GitHub runs what .ci/run runs', async () => {
  const commands = (await read('.ci/run')).split('\n').filter((line) => line.startsWith('npm '));
  const runs = workflows.flatMap(([, workflow]) => listRuns(workflow)).filter((run) => !isOfRelease(run));

  expect(commands.length).toBeGreaterThan(0);
  expect(runs.map((run) => run.slice(run.indexOf('npm '))).sort()).toEqual(commands.sort());
});

test('the stack of a release is the stack, with images in place of what builds them', async () => {
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
      ...(build && { image: `registry.example.com/website-${build.target}:${manifest.version}` }),
    });
  }
});

// A clone takes seconds on a busy machine.
test('a release is packed and published to the end, with its images’ names in place', { timeout: 60_000 }, async () => {
  const folder = makeTemporaryFolder();
  const [clone, programs, output] = ['clone', 'programs', 'output'].map((name) => join(folder, name));
  if (!clone || !programs || !output) throw new Error('There are three.');
  await Promise.all([mkdir(programs), mkdir(output)]);
  // No registry is asked here: the one names the digest it would have, the other signs nothing.
  await writeFile(join(programs, 'docker'), `#!/bin/sh\necho sha256:${'0'.repeat(64)}\n`, { mode: 0o755 });
  await writeFile(join(programs, 'cosign'), '#!/bin/sh\n', { mode: 0o755 });
  const env = { PATH: [programs, process.env['PATH']].join(delimiter), IMAGE_PREFIX: 'registry.example.com/website' };
  const run = (cwd: string, program: string, ...args: string[]) => promisify(execFile)(program, args, { cwd, env });
  await run(folder, 'git', 'clone', '--quiet', '--depth=1', root.href, clone);

  await run(clone, 'bash', 'deploy/release.sh', 'publish', output);

  const name = `website-${manifest.version}.tar.gz`;
  await run(output, 'sha256sum', '--check', 'SHA256SUMS');
  const packed = await run(output, 'tar', '--extract', '--to-stdout', '--file', name, 'website/docker-compose.yml');
  expect(packed.stdout).toContain(`image: 'registry.example.com/website-site:${manifest.version}'`);
  expect(await readFile(join(output, 'docker-compose.yml'), 'utf8')).toBe(packed.stdout);
  expect((await readdir(output)).sort()).toEqual(['SHA256SUMS', 'docker-compose.yml', name]);
});

test('the development container has every program that a script would install', async () => {
  const [, list = ''] = /apt-get install .*\\\n(.*)\\\n/.exec(await read('.devcontainer/Dockerfile')) ?? [];
  const [, type = ''] = /type Prerequisite =([^;]+);/.exec(await read('scripts/prerequisites.ts')) ?? [];

  expect(type).toContain("'chromium'");
  expect(list.match(/[\w-]+/g)).toEqual(type.match(/[\w-]+/g)?.sort());
});

/** Those of the workspaces too. */
async function listDevDependencies(): Promise<string[]> {
  const files = ['package.json', ...manifest.workspaces.map((folder) => `${folder}/package.json`)];
  const manifests = await Promise.all(files.map(async (file) => JSON.parse(await read(file)) as typeof manifest));

  return manifests.flatMap(({ devDependencies }) => Object.keys(devDependencies));
}

interface Renovate {
  readonly minimumReleaseAge: string;
  readonly packageRules: ReadonlyArray<{
    readonly groupName?: string;
    readonly matchPackageNames?: readonly string[];
  }>;
}

describe('renovate.json', async () => {
  const renovate = JSON.parse(await read('renovate.json')) as Renovate;

  test('proposes no version younger than two weeks', () => {
    expect(renovate.minimumReleaseAge).toBe('14 days');
  });

  test('names packages and images that are used, each in one group', async () => {
    const containers = (await read('Dockerfile')) + (await read('docker-compose.yml'));
    const images = [...containers.matchAll(/^(?:FROM| +image:) ([a-z]+):/gm)].map(([, name]) => name);
    const used = [...Object.keys(manifest.dependencies), ...(await listDevDependencies()), ...images];
    const isUsed = (name: string) =>
      used.some((one) => (name.endsWith('**') ? one?.startsWith(name.slice(0, -2)) : one === name));
    const named = renovate.packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames);
    const grouped = renovate.packageRules.flatMap(({ groupName, matchPackageNames = [] }) =>
      groupName === undefined ? [] : matchPackageNames,
    );

    expect(named.filter((name) => !isUsed(name))).toEqual([]);
    expect(new Set(grouped).size).toBe(grouped.length);
  });
});

describe('CHANGELOG.md', async () => {
  const sections = [...(await read('CHANGELOG.md')).matchAll(/^## (.*)$/gm)].map(([, title = '']) => title);
  const released = sections.slice(1).map((title) => /^\[(\d+\.\d+\.\d+)\] - (20\d\d-\d\d-\d\d)$/.exec(title) ?? [title]);

  test('begins with what is not released, and dates each version', () => {
    expect(sections[0]).toBe('[Unreleased]');
    for (const [title, , date = ''] of released) {
      expect([title, new Date(date).toJSON()?.slice(0, 10)]).toEqual([title, date]);
    }
    const dates = released.map(([, , date]) => date);
    expect(dates).toEqual(dates.toSorted().reverse());
  });

  test('describes the version of package.json, which package-lock.json has too', async () => {
    const lock = JSON.parse(await read('package-lock.json')) as { version: string; packages: { '': { version: string } } };

    expect(released.map(([, version]) => version)).toContain(manifest.version);
    expect([lock.version, lock.packages[''].version]).toEqual([manifest.version, manifest.version]);
  });
});
