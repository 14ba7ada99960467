import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  findFolder,
  listShipped,
  listWanted,
  type LockedPackages,
} from './production-packages.ts';

/**
 * Writes what an image consists of as CycloneDX 1.5. The same contents give the same file: nothing
 * in it is random, and its time is SOURCE_DATE_EPOCH (seconds since 1970; without it, none).
 *
 * npm's own `sbom --omit dev` leaves out what development packages use as well, such as `pg`.
 */

const { values } = parseArgs({
  options: {
    output: { type: 'string' },
    /** Name of the image. */
    image: { type: 'string' },
    /** Folder with package.json and package-lock.json. */
    project: { type: 'string' },
    /** Has the project's packages, and Node. */
    node: { type: 'boolean', default: false },
    /** A file that lists Debian packages of which only some files are in the image. */
    debian: { type: 'string' },
    /** A file with what a Go program says of its modules. */
    go: { type: 'string' },
  },
});

interface Component {
  readonly type: 'application' | 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: ReadonlyArray<{ readonly expression: string }>;
  readonly hashes?: ReadonlyArray<{ readonly alg: string; readonly content: string }>;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

const encode = encodeURIComponent;
const sortText = (texts: Iterable<string>) => [...new Set(texts)].sort();

/** @throws when the option is missing */
function demand(name: 'output' | 'image' | 'project'): string {
  const value = values[name];
  if (value === undefined) throw new Error(`--${name} is required.`);

  return value;
}

const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));

const readLines = async (file: string) => (await readFile(file, 'utf8')).split('\n').filter(Boolean);

const nameOf = (folder: string) => folder.slice(folder.lastIndexOf('node_modules/') + 13);

function makePackageUrl(packages: LockedPackages, folder: string): string {
  const name = nameOf(folder).split('/').map(encode).join('/');

  return `pkg:npm/${name}@${encode(packages[folder]?.version ?? '')}`;
}

function describePackage(packages: LockedPackages, folder: string): Component {
  const { version = '', license, integrity = '' } = packages[folder] ?? {};
  const purl = makePackageUrl(packages, folder);
  const [algorithm = '', digest = ''] = integrity.split(/-(.*)/);
  const hash = {
    alg: algorithm.replace('sha', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  };

  return {
    type: 'library',
    'bom-ref': purl,
    name: nameOf(folder),
    version,
    purl,
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    ...(digest === '' ? {} : { hashes: [hash] }),
  };
}

/** The packages in the image whose folder /app is the working one; not those for other platforms. */
async function describeProject(project: string) {
  const lock = (await readJson(join(project, 'package-lock.json'))) as { packages: LockedPackages };
  const { packages } = lock;
  const folders = [...listShipped(packages)].filter(
    (folder) => packages[folder]?.optional !== true || existsSync(folder),
  );
  const shipped = new Set(folders);
  const findWanted = (from: string, names: readonly string[]) =>
    sortText(
      names
        .map((name) => findFolder(packages, from, name))
        .filter((folder) => folder !== undefined && shipped.has(folder))
        .map((folder) => makePackageUrl(packages, folder ?? '')),
    );
  const components = folders.map((folder) => describePackage(packages, folder));
  const dependencies = folders.map((folder): Dependency => ({
    ref: makePackageUrl(packages, folder),
    dependsOn: findWanted(folder, listWanted(packages[folder] ?? {})),
  }));

  return {
    components,
    dependencies,
    direct: findWanted('', Object.keys(packages['']?.dependencies ?? {})),
  };
}

function describeOther(type: Component['type'], name: string, version: string, purl: string) {
  return { type, 'bom-ref': purl, name, version, purl };
}

function listInstalled(): string {
  const format = '${Package}\\t${Version}\\t${Architecture}\\n';

  return execFileSync('dpkg-query', ['--show', '--showformat', format], { encoding: 'utf8' });
}

/** The packages of the system this runs in, and those some files were taken from. */
async function describeDebian(partly: string | undefined): Promise<Component[]> {
  const release = /^VERSION_ID="?(\w+)/m.exec(await readFile('/etc/os-release', 'utf8'))?.[1];
  const taken = partly === undefined ? [] : await readLines(partly);
  const found = new Map<string, Component>();
  for (const line of [...listInstalled().trim().split('\n'), ...taken]) {
    const [name = '', version = '', architecture = ''] = line.split('\t');
    const purl =
      `pkg:deb/debian/${encode(name)}@${encode(version)}` +
      `?arch=${architecture}&distro=debian-${release ?? ''}`;
    // Files of a package that is installed are the installed ones.
    if (!found.has(name)) found.set(name, describeOther('library', name, version, purl));
  }

  return [...found.values()];
}

/** Reads the lines `mod` and `dep` of `go version -m` and of Caddy's `build-info`. */
async function describeGo(file: string): Promise<Component[]> {
  const lines = (await readLines(file)).map((line) => line.trim().split(/\s+/));
  const modules = lines.filter(([kind]) => kind === 'mod' || kind === 'dep');

  return modules.map(([kind, name = '', version = '']) => {
    const purl = `pkg:golang/${name.split('/').map(encode).join('/')}@${encode(version)}`;

    return describeOther(kind === 'mod' ? 'application' : 'library', name, version, purl);
  });
}

/** A UUID that names the contents (RFC 9562, version 8). */
function makeSerialNumber(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`];

  return `urn:uuid:${[...parts, hex.slice(20, 32)].join('-')}`;
}

async function write(): Promise<void> {
  const project = demand('project');
  const { version } = (await readJson(join(project, 'package.json'))) as { version: string };
  const image = { type: 'container', 'bom-ref': demand('image'), name: demand('image'), version };
  const own = values.node ? await describeProject(project) : undefined;
  const node = process.versions.node;
  const listed = [
    ...(own?.components ?? []),
    ...(values.node ? [describeOther('application', 'node', node, `pkg:generic/node@${node}`)] : []),
    ...(await describeDebian(values.debian)),
    ...(values.go === undefined ? [] : await describeGo(values.go)),
  ];
  const components = new Map(listed.map((component) => [component.purl, component]));
  const refs = sortText(components.keys());
  const depended = new Map((own?.dependencies ?? []).map((each) => [each.ref, each]));
  const body = {
    components: refs.map((ref) => components.get(ref)),
    dependencies: [
      { ref: image['bom-ref'], dependsOn: own?.direct ?? [] },
      ...sortText(depended.keys()).map((ref) => depended.get(ref)),
    ],
  };
  const epoch = process.env['SOURCE_DATE_EPOCH'] ?? '';
  const timestamp = epoch === '' ? {} : { timestamp: new Date(Number(epoch) * 1000).toISOString() };
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: makeSerialNumber(JSON.stringify([image, body])),
    version: 1,
    metadata: { ...timestamp, component: image },
    ...body,
  };
  await writeFile(demand('output'), `${JSON.stringify(bom, null, 1)}\n`);
}

await write();
