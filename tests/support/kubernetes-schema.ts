import ts from 'typescript';

/** A document of a manifest, as far as every kind is the same. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** The package that has the types and schemas of an API: one of its own for each that isn't Kubernetes'. */
function findPackage({ apiVersion }: Manifest): string {
  if (apiVersion.startsWith('gateway.networking.k8s.io/')) return `@kubernetes-models/gateway-api/${apiVersion}`;
  if (apiVersion.startsWith('traefik.io/')) return `@kubernetes-models/traefik/${apiVersion}`;

  return `kubernetes-models/${apiVersion}`;
}

const SOURCE = 'tests/support/manifests.generated.ts';

const describeKind = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

/** TypeScript that compiles when each manifest matches its kind's type exactly. */
function writeSource(manifests: readonly Manifest[]): string {
  return manifests
    .map(
      (manifest, index) =>
        `import type { I${manifest.kind} as Kind${index} } from '${findPackage(manifest)}';\n` +
        `export const manifest${index} = ${JSON.stringify(manifest)} satisfies Kind${index};\n`,
    )
    .join('');
}

/**
 * Unknown fields, which the runtime's schemas let through: a misspelled one would be ignored by
 * kubectl too, and with it a limit or a right that was meant to be taken away.
 */
function listTypeFaults(manifests: readonly Manifest[]): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const text = writeSource(manifests);
  const host = ts.createCompilerHost(options);
  const onDisk = { ...host };
  host.fileExists = (name) => name.endsWith(SOURCE) || onDisk.fileExists(name);
  host.getSourceFile = (name, version, ...others) =>
    name.endsWith(SOURCE)
      ? ts.createSourceFile(name, text, version)
      : onDisk.getSourceFile(name, version, ...others);
  const program = ts.createProgram([SOURCE], options, host);

  return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : 0;
    const manifest = manifests[Math.floor(line / 2)];

    return `${manifest ? describeKind(manifest) : ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** What the schema of its kind finds: missing and ill-formed values. */
async function listValueFaults(manifest: Manifest): Promise<string[]> {
  const module = (await import(/* @vite-ignore */ findPackage(manifest))) as Readonly<
    Record<string, new (manifest: unknown) => { validate(): void }>
  >;
  const Kind = module[manifest.kind];
  if (!Kind) return [`${describeKind(manifest)}: ${manifest.apiVersion} has no such kind`];

  try {
    new Kind(manifest).validate();

    return [];
  } catch (error) {
    return [`${describeKind(manifest)}: ${String(error)}`];
  }
}

/** Everything by which manifests differ from Kubernetes' own schema; empty when they are good. */
export async function listSchemaFaults(manifests: readonly Manifest[]): Promise<string[]> {
  const values = await Promise.all(manifests.map(listValueFaults));

  return [...listTypeFaults(manifests), ...values.flat()];
}
