import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

/** Writes an image's SBOM (CycloneDX 1.5) reproducibly, from npm's list, Node, Debian packages and Go modules. */

interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
}

export interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: readonly string[] }>;
}

/** Build-only dependencies of vite-plugin-ssr, which the image doesn't contain. */
const BUILD_TOOLS = new Set(['esbuild', 'vite']);

const encode = encodeURIComponent;

const sortBy = <Item>(items: readonly Item[], getKey: (item: Item) => string) =>
  items.toSorted((one, other) => (getKey(one) < getKey(other) ? -1 : 1));

/** Removes the build tools and their exclusive dependencies from npm's list. */
export function dropBuildTools(sbom: Sbom): Sbom {
  const names = new Map(sbom.components.map((component) => [component['bom-ref'], component.name]));
  const edges = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const isShipped = (ref: string) => !BUILD_TOOLS.has(names.get(ref) ?? '');
  const shipped = new Set([sbom.metadata.component['bom-ref']]);
  // Iterating a set also visits items added meanwhile.
  for (const ref of shipped) (edges.get(ref) ?? []).filter(isShipped).forEach((next) => shipped.add(next));

  return {
    ...sbom,
    components: sbom.components.filter((component) => shipped.has(component['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => shipped.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((next) => shipped.has(next)) })),
  };
}

const readLines = async (file: string) => (await readFile(file, 'utf8')).split('\n').filter(Boolean);

const describe = (type: string, name: string, version: string, purl: string): Component => ({
  type,
  'bom-ref': purl,
  name,
  version,
  purl,
});

/** Returns installed Debian packages and those in `takenFiles` (name, version and architecture, separated by tabs). */
async function describeDebian(takenFiles: readonly string[]): Promise<Component[]> {
  const release = /^VERSION_ID="?(\w+)/m.exec(await readFile('/etc/os-release', 'utf8'))?.[1] ?? '';
  const format = '${Package}\\t${Version}\\t${Architecture}\\n';
  const installed = execFileSync('dpkg-query', ['--show', '--showformat', format], { encoding: 'utf8' });
  const taken = (await Promise.all(takenFiles.map(readLines))).flat();
  const found = new Map<string, Component>();
  for (const line of [...installed.trim().split('\n'), ...taken]) {
    const [name = '', version = '', architecture = ''] = line.split('\t');
    const id = `pkg:deb/debian/${encode(name)}@${encode(version)}`;
    const purl = `${id}?arch=${architecture}&distro=debian-${release}`;
    // An installed package takes precedence.
    if (!found.has(name)) found.set(name, describe('library', name, version, purl));
  }

  return [...found.values()];
}

async function describeGo(file: string): Promise<Component[]> {
  const lines = (await readLines(file)).map((line) => line.trim().split(/\s+/));
  const modules = lines.filter(([kind]) => kind === 'mod' || kind === 'dep');

  return modules.map(([kind, name = '', version = '']) => {
    const purl = `pkg:golang/${name.split('/').map(encode).join('/')}@${encode(version)}`;

    return describe(kind === 'mod' ? 'application' : 'library', name, version, purl);
  });
}

/** Returns a UUID derived from the contents (RFC 9562, version 8). */
function makeSerialNumber(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`];

  return `urn:uuid:${[...parts, hex.slice(20, 32)].join('-')}`;
}

/** Returns the whole document. @param npm undefined for an image without Node */
function compose(image: Component, npm: Sbom | undefined, others: readonly Component[]) {
  const ref = image['bom-ref'];
  const site = npm?.metadata.component['bom-ref'];
  const ofImage = npm?.dependencies.find((dependency) => dependency.ref === site)?.dependsOn ?? [];
  const ofPackages = npm?.dependencies.filter((dependency) => dependency.ref !== site) ?? [];
  const components = [...(npm?.components ?? []), ...others];
  const body = {
    components: sortBy(components, (component) => component['bom-ref']),
    dependencies: [{ ref, dependsOn: ofImage }, ...sortBy(ofPackages, (dependency) => dependency.ref)],
  };
  const epoch = process.env['SOURCE_DATE_EPOCH'] ?? '';
  const timestamp = epoch === '' ? {} : { timestamp: new Date(Number(epoch) * 1000).toISOString() };

  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: makeSerialNumber(JSON.stringify([image, body])),
    version: 1,
    metadata: { ...timestamp, component: image },
    ...body,
  };
}

async function write(): Promise<void> {
  const { values } = parseArgs({
    options: {
      output: { type: 'string', default: '/sbom.cdx.json' },
      image: { type: 'string', default: 'website' },
      /** Output of `npm sbom`, for an image with Node. */
      packages: { type: 'string' },
      /** Lists of Debian packages with only some of their files in the image. */
      debian: { type: 'string', multiple: true, default: [] },
      /** Output of `go version -m` or `build-info`. */
      go: { type: 'string' },
    },
  });
  const { image: name, output } = values;
  const { node } = process.versions;
  const npm =
    values.packages === undefined ? undefined : dropBuildTools(JSON.parse(await readFile(values.packages, 'utf8')) as Sbom);
  const others = [
    ...(npm ? [describe('application', 'node', node, `pkg:generic/node@${node}`)] : []),
    ...(await describeDebian(values.debian)),
    ...(values.go === undefined ? [] : await describeGo(values.go)),
  ];
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  const image = { type: 'container', 'bom-ref': name, name, version };
  await writeFile(output, `${JSON.stringify(compose(image, npm, others), null, 1)}\n`);
}

if (import.meta.main) await write();
