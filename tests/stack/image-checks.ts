import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ensureBuilt } from '../../scripts/build.ts';
import { projectRoot } from '../../scripts/processes.ts';
import type { Check } from './container-checks.ts';
import { measureImage } from './image-size.ts';
import type { Stack } from './stack.ts';

/** For each image, a service that runs it. */
const SERVICES = { site: 'web', ops: 'backup', proxy: 'proxy' } as const;

type ImageName = keyof typeof SERVICES;

const NAMES: readonly ImageName[] = ['site', 'ops', 'proxy'];

const BUDGET_BYTES = 260e6;

const UNWANTED_PROGRAMS = ['npm', 'npx', 'corepack', 'yarn', 'cc', 'gcc', 'make', 'python3'];
const CLIENT_TOOLS = ['psql', 'pg_dump', 'pg_restore'];

interface ImageConfig {
  readonly Config: {
    readonly User: string;
    readonly Labels: Readonly<Record<string, string>>;
    readonly Healthcheck?: { readonly Test: readonly string[] };
  };
}

interface Sbom {
  readonly components: ReadonlyArray<{ readonly purl: string }>;
}

/** Packages by folder, such as `node_modules/a/node_modules/b`. The project's own folder is ''. */
type LockedPackages = Readonly<
  Record<string, { readonly version?: string; readonly dependencies?: Readonly<Record<string, string>> }>
>;

async function readProjectFile<Content>(name: string): Promise<Content> {
  return JSON.parse(await readFile(join(projectRoot, name), 'utf8')) as Content;
}

async function findImage(stack: Stack, name: ImageName): Promise<string> {
  const [container] = await stack.inspectService(SERVICES[name]);
  assert.ok(container, `There is no container of ${SERVICES[name]}.`);

  return (await stack.docker('inspect', '--format', '{{.Image}}', container.Id)).trim();
}

/** Runs a program from an image with a read-only root file system and no network. */
async function run(stack: Stack, name: ImageName, program: string, ...args: string[]) {
  const image = await findImage(stack, name);
  const limits = ['--rm', '--network', 'none', '--read-only', '--cap-drop', 'ALL'];

  return stack.docker('run', ...limits, '--entrypoint', program, image, ...args);
}

/** Lists the files in the image's dist as `sha256  path`. */
async function hashBuiltFiles(stack: Stack): Promise<string[]> {
  const command = 'cd /app/dist && find . -type f -exec sha256sum {} +';

  return (await run(stack, 'site', 'bash', '-c', command)).trim().split('\n').sort();
}

async function hashOwnBuild(): Promise<string[]> {
  await ensureBuilt();
  const dist = join(projectRoot, 'dist');
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  // Only builds in this folder have a stamp.
  const files = entries.filter((entry) => entry.isFile() && entry.name !== '.build-stamp');

  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = join(parentPath, name);
      const hash = createHash('sha256').update(await readFile(file));

      return `${hash.digest('hex')}  ./${relative(dist, file)}`;
    }),
  ).then((lines) => lines.sort());
}

/** Lists the folders of the image's packages as package-lock.json names them. */
async function listInstalled(stack: Stack): Promise<string[]> {
  const find = ['node_modules', '-name', 'package.json', '-path', '*node_modules/*'];
  const files = (await run(stack, 'site', 'find', ...find)).trim().split('\n');

  return files
    .map((file) => file.replace(/\/package\.json$/, ''))
    .filter((folder) => /node_modules\/(@[^/]+\/)?[^/@]+$/.test(folder));
}

/** Expects an image's package list to contain the installed packages and those that the build bundles. */
async function checkSbom(stack: Stack): Promise<void> {
  const { packages } = await readProjectFile<{ packages: LockedPackages }>('package-lock.json');
  const toUrl = (folder: string) => `pkg:npm/${folder.replace(/^.*node_modules\//, '')}@${packages[folder]?.version}`;
  const bundled = Object.keys(packages['']?.dependencies ?? {}).map((name) => `node_modules/${name}`);
  const expected = [...bundled, ...(await listInstalled(stack))].map(toUrl);
  for (const image of ['site', 'ops'] as const) {
    const { components } = JSON.parse(await run(stack, image, 'cat', '/sbom.cdx.json')) as Sbom;
    const listed = new Set(components.map(({ purl }) => decodeURIComponent(purl)));
    assert.deepEqual(expected.filter((purl) => !listed.has(purl)), [], image);
  }
  assert.match(await run(stack, 'ops', 'cat', '/var/lib/dpkg/status.d/libpq5'), /^Version: /m);
}

function checkContents(stack: Stack): Check[] {
  return [
    [
      'has no setuid programs, package managers or compilers in its images',
      async () => {
        for (const name of NAMES) {
          const image = await findImage(stack, name);
          // Only root can read some of the folders.
          const asRoot = ['run', '--rm', '--network', 'none', '--user', '0', '--entrypoint', 'find'];
          const conditions = ['/', '-xdev', '-type', 'f', '-perm', '/6000'];
          assert.equal(await stack.docker(...asRoot, image, ...conditions), '', name);
          const command = `for name in ${UNWANTED_PROGRAMS.join(' ')}; do command -v $name; done; true`;
          assert.equal(await run(stack, name, 'bash', '-c', command), '', name);
        }
      },
    ],
    [
      'has no tests in its image',
      async () => {
        assert.equal(await run(stack, 'site', 'find', '/app', '-name', '*.test.*'), '');
      },
    ],
    [
      'has the version of Node that developers use, and PostgreSQL’s client programs and restic for the operator’s tool',
      async () => {
        const { devDependencies } = await readProjectFile<{
          devDependencies: Readonly<Record<string, string>>;
        }>('package.json');
        const [major] = (devDependencies['node'] ?? '').split('.');
        const version = await run(stack, 'site', 'node', '--version');
        assert.match(version, new RegExp(`^v${major}\\.`));
        for (const tool of CLIENT_TOOLS) {
          const output = await run(stack, 'ops', tool, '--version');
          assert.match(output, new RegExp(`^${tool} \\(PostgreSQL\\) \\d+`));
        }
        assert.match(await run(stack, 'ops', 'restic', 'version'), /^restic \d+\.\d+/);
      },
    ],
    ['has package lists for scanners in its images', () => checkSbom(stack)],
    [
      'has the same built pages in its image as a build outside of Docker',
      async () => assert.deepEqual(await hashBuiltFiles(stack), await hashOwnBuild()),
    ],
  ];
}

/** Checks the images and their contents. The stack must be running. */
export function checkImages(stack: Stack): Check[] {
  return [
    [
      `has images of at most ${BUDGET_BYTES / 1e6} MB for web and worker`,
      async () => {
        const images = await Promise.all(NAMES.map((name) => findImage(stack, name)));
        const sizes = await Promise.all(images.map((image) => measureImage(stack.docker, image)));
        const texts = NAMES.map((name, at) => `${name} ${((sizes[at] ?? 0) / 1e6).toFixed(1)} MB`);
        process.stdout.write(`        ${texts.join(', ')}\n`);
        assert.ok((sizes[0] ?? Infinity) <= BUDGET_BYTES, `The image is too big: ${texts[0]}`);
      },
    ],
    [
      'has labels, a health check and an unprivileged user in its images',
      async () => {
        for (const name of NAMES) {
          const text = await stack.docker('image', 'inspect', await findImage(stack, name));
          const [image] = JSON.parse(text) as [ImageConfig];
          const { User, Labels, Healthcheck } = image.Config;
          assert.equal(User, '10001:10001', name);
          assert.equal(Labels['org.opencontainers.image.title'], `website-${name}`);
          for (const label of ['description', 'version', 'revision', 'created']) {
            assert.ok(Labels[`org.opencontainers.image.${label}`], `${name} has no ${label}.`);
          }
          assert.equal(Healthcheck?.Test[0], name === 'ops' ? 'NONE' : 'CMD', name);
        }
      },
    ],
    ...checkContents(stack),
  ];
}
