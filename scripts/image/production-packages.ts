/** What package-lock.json says of one package, as far as the image needs it. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  /** `ALGORITHM-BASE64` of the package's archive. */
  readonly integrity?: string;
  /** Of development only: an installation without development packages lacks it. */
  readonly dev?: boolean;
  /** It may be missing, for instance because it is for another platform. */
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** By folder, e.g. `node_modules/a/node_modules/b`; the project itself is ''. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** Peers and dependencies of vite-plugin-ssr and others that only a build uses. */
const BUILD_TOOLS = ['vite', 'esbuild', 'typescript'];

/** The build puts them, and what they need, into dist; nothing loads them from node_modules. */
const BUNDLED = ['lucide-react', 'react', 'react-dom', 'react-router-dom'];

/** What a package asks for: names, of which some may be missing. */
export const listWanted = (locked: LockedPackage): string[] =>
  Object.keys({
    ...locked.dependencies,
    ...locked.optionalDependencies,
    ...locked.peerDependencies,
  });

/** The folder in which Node finds `name` for a package that lies in `from`. */
export function findFolder(
  packages: LockedPackages,
  from: string,
  name: string,
): string | undefined {
  const folder = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (packages[folder] !== undefined) return folder;
  if (from === '') return undefined;

  return findFolder(packages, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

function collect(packages: LockedPackages, unwanted: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (from: string, names: readonly string[]) => {
    for (const name of names.filter((wanted) => !unwanted.has(wanted))) {
      const folder = findFolder(packages, from, name);
      if (folder === undefined || packages[folder]?.dev || found.has(folder)) continue;
      found.add(folder);
      visit(folder, listWanted(packages[folder] ?? {}));
    }
  };
  visit('', Object.keys(packages['']?.dependencies ?? {}));

  return found;
}

/** Folders of the packages that a process of the running site loads from node_modules. */
export const listLoaded = (packages: LockedPackages): ReadonlySet<string> =>
  collect(packages, new Set([...BUILD_TOOLS, ...BUNDLED]));

/** Folders of the packages whose code is in the image, in node_modules or bundled in dist. */
export const listShipped = (packages: LockedPackages): ReadonlySet<string> =>
  collect(packages, new Set(BUILD_TOOLS));
