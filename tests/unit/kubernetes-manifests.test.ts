import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '../../shared/node/config/settings.ts';

/* kubectl checks the names and types of all fields. */

interface Container {
  readonly image: string;
  readonly env?: ReadonlyArray<{ readonly name: string; readonly value: string }>;
  readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly [Container]; readonly volumes: ReadonlyArray<{ readonly name: string }> };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly template?: PodTemplate; readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } } };
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly configMapGenerator: ReadonlyArray<{ readonly literals?: readonly string[] }>;
}

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');
const folder = 'deploy/kubernetes';

/** Reads a file's documents. @throws if it isn't YAML or has a duplicate key */
async function readManifests(path: string): Promise<Manifest[]> {
  return parseAllDocuments(await read(path)).map((document) => {
    const [error] = document.errors;
    if (error) throw error;

    return document.toJS() as Manifest;
  });
}

const [base, example] = (await Promise.all(
  ['base', 'example'].map(async (name) => parse(await read(`${folder}/${name}/kustomization.yaml`)) as Kustomization),
)) as [Kustomization, Kustomization];
const listed = [
  ...base.resources.map((file) => `${folder}/base/${file}`),
  ...example.resources.filter((file) => file !== '../base').map((file) => `${folder}/example/${file}`),
];
const manifests = (await Promise.all(listed.map(readManifests))).flat();
const pods = manifests.flatMap(({ metadata, spec }) => {
  const template = spec?.template ?? spec?.jobTemplate?.spec.template;

  return template ? [[metadata.name, template] as const] : [];
});
const lines = (await read(`${folder}/base/settings.env`)).split('\n').filter((line) => /^[A-Z]/.test(line));

test('a kustomization lists every manifest', async () => {
  const files: string[] = [];
  for await (const file of glob(`${folder}/*/*.yaml`, { cwd: root })) files.push(file);

  expect(example.resources).toContain('../base');
  expect(files.filter((file) => !file.endsWith('/kustomization.yaml')).sort()).toEqual(listed.toSorted());
});

test('every pod is as restricted as possible and mounts all its volumes', () => {
  expect(pods.map(([name]) => name)).toEqual(['website-migrate', 'website-web', 'website-worker', 'website-backup']);
  for (const [name, { metadata, spec }] of pods) {
    expect(metadata.labels).toEqual({ 'app.kubernetes.io/name': name });
    expect([name, spec]).toMatchObject([
      name,
      {
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            image: expect.stringMatching(/^website-(?:site|ops)$/) as string,
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            resources: { limits: { cpu: '1', memory: '512Mi' } },
          },
        ],
      },
    ]);
    const [{ volumeMounts }] = spec.containers;
    expect(volumeMounts.map((mount) => mount.name).sort()).toEqual(spec.volumes.map((volume) => volume.name).sort());
    expect(volumeMounts).toContainEqual({ name: 'secrets', mountPath: '/run/secrets', readOnly: true });
  }
});

test('network policies block all traffic except from and to the peers that they name', () => {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');

  expect(policies[0]?.spec).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  const reachable = policies.filter(({ spec }) => spec && 'ingress' in spec).map(({ metadata }) => metadata.name);
  expect(reachable).toEqual(['metrics', 'web', 'acme-solver']);
});

test('all settings exist, contain no secret, and store no leads in a folder on one machine', () => {
  const given = [...lines, ...example.configMapGenerator.flatMap(({ literals = [] }) => literals)];
  const names = given.map((line) => line.split('=', 1)[0] ?? '');
  const open = Object.entries(settings).filter(([, setting]) => !('isSecret' in setting)).map(([name]) => name);

  expect(names.filter((name) => !open.includes(name))).toEqual([]);
  expect(names).toContain('CRM_PROVIDER');
  expect(lines).not.toContain('CRM_PROVIDER=file');
});
