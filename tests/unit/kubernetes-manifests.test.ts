import { beforeAll, describe, expect, test } from 'vitest';
import { webSecretNames } from '../../shared/node/config/read-settings.ts';
import { settings } from '../../shared/node/config/settings.ts';
import { listSchemaFaults, type Manifest } from '../support/kubernetes-schema.ts';
import {
  listFiles,
  readEnvironmentFile,
  readKustomization,
  readManifests,
} from '../support/read-manifests.ts';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly securityContext: unknown;
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly env?: ReadonlyArray<{ readonly name: string; readonly value?: string }>;
  readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>;
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes: ReadonlyArray<{ readonly name: string; readonly hostPath?: unknown }>;
  readonly terminationGracePeriodSeconds: number;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
}

type Workload = Manifest & {
  readonly spec?: {
    readonly template?: PodTemplate;
    readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } };
  };
};

/** Time for the compiler to read the types of Kubernetes, in milliseconds. */
const COMPILING = 60_000;

const getTemplate = ({ spec }: Workload) => spec?.template ?? spec?.jobTemplate?.spec.template;

/** What an overlay names instead of the gateway. */
const alternatives = ['example/traefik.yaml'] as const;

let manifests: Manifest[];
let secrets: Manifest[];
let pods: ReadonlyArray<readonly [string, PodTemplate]>;

beforeAll(async () => {
  const base = await readKustomization('base');
  const files = [...base.resources.map((file) => `base/${file}`), 'example/gateway.yaml'];
  manifests = (await Promise.all(files.map(readManifests))).flat();
  secrets = await readManifests('example/secrets.example.yaml');
  pods = manifests.flatMap((manifest) => {
    const template = getTemplate(manifest);

    return template ? [[manifest.metadata.name, template] as const] : [];
  });
});

describe('the manifests', () => {
  test('are all named by a kustomization, but for the example of secrets and the other way in', async () => {
    const [base, example] = [await readKustomization('base'), await readKustomization('example')];
    const named = [
      ...base.resources.map((file) => `base/${file}`),
      ...example.resources.filter((file) => file !== '../base').map((file) => `example/${file}`),
    ];
    const expected = [...named, ...alternatives, 'base/kustomization.yaml', 'example/kustomization.yaml'];

    expect(example.resources).toContain('../base');
    expect(await listFiles()).toEqual([...expected, 'example/secrets.example.yaml'].sort());
  });

  test('match the schemas of their kinds, without a field more', async () => {
    const others = (await Promise.all(alternatives.map(readManifests))).flat();

    expect(await listSchemaFaults([...manifests, ...secrets, ...others])).toEqual([]);
  }, COMPILING);

  test('would be refused with a misspelled field, a wrong type or a missing value', async () => {
    const print = (wanted: string) => JSON.stringify(manifests.find(({ kind }) => kind === wanted));
    const [deployment, route] = [print('Deployment'), print('HTTPRoute')];
    const broken = [
      deployment.replace('"readOnlyRootFilesystem"', '"readonlyRootFilesystem"'),
      deployment.replace('"periodSeconds":5', '"periodSeconds":"often"'),
      deployment.replace(/"selector":\{.*?\}\}/, '"selector":null'),
      route.replace('"backendRequest"', '"backendrequest"'),
    ].map((changed, index) => {
      expect([deployment, route]).not.toContain(changed);

      return { ...(JSON.parse(changed) as Manifest), metadata: { name: `broken-${index}` } };
    });

    const faults = (await listSchemaFaults(broken)).join();
    for (const { metadata } of broken) expect(faults).toContain(metadata.name);
  }, COMPILING);

  test('hold no secret', () => {
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    for (const secret of secrets as Array<Manifest & { stringData: Record<string, string> }>) {
      expect(new Set(Object.values(secret.stringData))).toEqual(new Set(['']));
    }
  });

  test('have two replicas or a reason, spread out, with a budget for disruptions', () => {
    const count = (kind: string) =>
      manifests.filter((manifest) => manifest.kind === kind).map(({ metadata }) => metadata.name);

    expect(count('Deployment')).toEqual(['website-web', 'website-worker']);
    expect(count('PodDisruptionBudget')).toEqual(['website-web', 'website-worker']);
    expect(count('HorizontalPodAutoscaler')).toEqual(['website-web']);
    expect([...count('Job'), ...count('CronJob')]).toEqual(['website-migrate', 'website-backup']);
  });
});

describe('every pod', () => {
  test('is not root, has its own token nowhere, and time to drain', () => {
    expect(pods).toHaveLength(4);
    for (const [name, { spec }] of pods) {
      expect([name, spec]).toMatchObject([
        name,
        {
          automountServiceAccountToken: false,
          serviceAccountName: 'website',
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 10_001,
            seccompProfile: { type: 'RuntimeDefault' },
          },
        },
      ]);
      expect([name, spec.terminationGracePeriodSeconds > 25]).toEqual([name, true]);
      expect(spec.volumes.filter(({ hostPath }) => hostPath !== undefined)).toEqual([]);
    }
  });

  test('has containers with a read-only root, no capability, requests and limits', () => {
    for (const [name, { spec }] of pods) {
      for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
        expect([name, container]).toMatchObject([
          name,
          {
            image: expect.stringMatching(/^website-(?:site|ops)$/) as string,
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            resources: {
              requests: { cpu: expect.anything() as string, memory: expect.anything() as string },
              limits: { cpu: expect.anything() as string, memory: expect.anything() as string },
            },
          },
        ]);
      }
    }
  });

  test('mounts what it has, and secrets where SECRETS_DIR is', () => {
    for (const [name, { spec }] of pods) {
      const volumes = spec.volumes.map((volume) => volume.name).sort();
      for (const { volumeMounts } of spec.containers) {
        expect([name, volumeMounts.map((mount) => mount.name).sort()]).toEqual([name, volumes]);
        expect(volumeMounts).toContainEqual({ name: 'secrets', mountPath: '/run/secrets', readOnly: true });
      }
    }
  });

  test('can be reached by, and reach, only what a policy names', () => {
    const labels = pods.map(([, { metadata }]) => metadata.labels['app.kubernetes.io/name']);
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as Array<
      Manifest & { spec: { podSelector: object; policyTypes: string[]; ingress?: object[] } }
    >;
    const text = JSON.stringify(policies);

    expect(policies[0]?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    for (const label of labels) expect(text).toContain(`"${label}"`);
    const reached = policies.filter(({ spec }) => spec.ingress).map(({ metadata }) => metadata.name);
    expect(reached).toEqual(['metrics', 'web', 'acme-solver']);
  });
});

describe('the settings', () => {
  test('exist, and what is secret comes as a file', async () => {
    const [base, example] = [await readKustomization('base'), await readKustomization('example')];
    const lines = [
      ...(await readEnvironmentFile('base/settings.env')),
      ...example.configMapGenerator.flatMap(({ literals = [] }) => literals),
    ];
    const names = lines.map((line) => line.split('=', 1)[0] ?? '');
    const secretNames = Object.entries(settings)
      .filter(([, setting]) => 'isSecret' in setting)
      .map(([name]) => name);

    expect(base.configMapGenerator).toEqual([{ name: 'website-settings', envs: ['settings.env'] }]);
    expect(names.filter((name) => !(name in settings))).toEqual([]);
    expect(names.filter((name) => secretNames.includes(name))).toEqual([]);
    for (const secret of secrets as Array<Manifest & { stringData: Record<string, string> }>) {
      const unknown = Object.keys(secret.stringData).filter(
        (name) => !secretNames.includes(name),
      );
      expect(unknown).toEqual([]);
    }
  });

  test('give web the secrets it uses, and no other', () => {
    const mounted = JSON.stringify(pods.find(([name]) => name === 'website-web'));
    const [web] = secrets as Array<Manifest & { stringData: object }>;

    expect(mounted).toContain('"secretName":"website-web"');
    expect(web?.metadata.name).toBe('website-web');
    expect(Object.keys(web?.stringData ?? {})).toEqual([...webSecretNames]);
  });

  test('name the folder of backups where it is mounted, and nowhere else', async () => {
    const shared = (await readEnvironmentFile('base/settings.env')).map((line) => line.split('='));

    for (const [pod, { spec }] of pods) {
      for (const { env = [], volumeMounts } of spec.containers) {
        const named = [...shared, ...env.map(({ name, value }) => [name, value])];
        const folders = named.filter(([name]) => name === 'BACKUP_DIR').map(([, value]) => value);
        const mounted = volumeMounts.filter(({ name }) => name === 'backups').map(({ mountPath }) => mountPath);
        expect([pod, folders]).toEqual([pod, mounted]);
      }
    }
  });

  test('store no leads in folders that only one machine has', async () => {
    const lines = await readEnvironmentFile('base/settings.env');

    expect(lines.find((line) => line.startsWith('CRM_PROVIDER='))).not.toBe('CRM_PROVIDER=file');
    expect((secrets[1] as Manifest & { stringData: object }).stringData).toHaveProperty('SMTP_URL');
  });
});
