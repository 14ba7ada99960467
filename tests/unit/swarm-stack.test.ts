import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { webSecretNames } from '../../shared/node/config/read-settings.ts';
import { settings } from '../../shared/node/config/settings.ts';

interface Secret {
  readonly source: string;
  readonly target: string;
  readonly uid: string;
  readonly mode: number;
}

interface Service {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets?: readonly Secret[];
  readonly ports?: ReadonlyArray<{ readonly mode: string; readonly published: number }>;
  readonly volumes: ReadonlyArray<string | { readonly type: string }>;
  readonly healthcheck?: { readonly test?: readonly string[] };
  readonly deploy: {
    readonly mode?: string;
    readonly replicas: number;
    readonly update_config?: { readonly order: string; readonly failure_action: string };
    readonly rollback_config?: object;
    readonly resources: { readonly limits: object };
  };
}

interface Stack {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly external: boolean; readonly name: string }>>;
}

/** Keys that `docker stack deploy` ignores: a file with one relies on nothing. */
const IGNORED = ['build', 'depends_on', 'restart', 'security_opt', 'mem_limit', 'pids_limit', 'profiles'];

/** Settings of one machine: its address, its folders, its backups, which whoever runs PostgreSQL makes here. */
const OF_ONE_MACHINE = [
  ...['BIND_ADDRESS', 'MAIL_DIR', 'CRM_DIR', 'BACKUP_DIR', 'BACKUP_KEEP', 'BACKUP_AT', 'BACKUP_SSH_DIR'],
  'NODE_EXTRA_CA_CERTS',
];

const text = await readFile(new URL('../../deploy/swarm/stack.yml', import.meta.url), 'utf8');
const stack = parse(text, { merge: true }) as Stack;
const services = Object.entries(stack.services);
const site = services.filter(([name]) => name !== 'proxy');

const isKnown = (name: string) => name in settings;
const isSecret = (name: string) =>
  Object.entries(settings).some(([known, setting]) => known === name && 'isSecret' in setting);

const linterFolder = join(createRequire(import.meta.url).resolve('dclint/package.json'), '..');
const schema = JSON.parse(
  await readFile(join(linterFolder, 'schemas', 'compose.schema.json'), 'utf8'),
) as object;
// It writes the address of its own schema with https, which validators don't know.
const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
const validate = ajv.compile(schema);

/** What the Compose specification's own schema finds wrong. */
const listFaults = (document: unknown) => (validate(document) ? [] : (validate.errors ?? []));

describe('the Swarm stack', () => {
  test('matches the Compose specification, and has no more', () => {
    expect(listFaults(stack)).toEqual([]);
    const { web } = stack.services;
    expect(listFaults({ ...stack, services: { web: { ...web, read_onyl: true } } })).not.toEqual([]);
    expect(listFaults({ ...stack, services: { web: { ...web, cap_drop: 'ALL' } } })).not.toEqual([]);
  });

  test('relies on nothing that a stack ignores', () => {
    for (const [name, service] of services) {
      expect([name, IGNORED.filter((key) => key in service)]).toEqual([name, []]);
    }
  });

  test('has three webs, four workers and one job that migrates', () => {
    const counts = services.map(([name, { deploy }]) => [name, deploy.mode, deploy.replicas]);

    expect(counts).toEqual([
      ['migrate', 'replicated-job', 1],
      ['web', undefined, 3],
      ['worker', undefined, 4],
      ['proxy', undefined, 1],
    ]);
  });

  test('gives each service a read-only root, no capability, limits, bounded logs and time to drain', () => {
    for (const [name, service] of services) {
      expect([name, service]).toMatchObject([
        name,
        {
          image: expect.stringMatching(/^\$\{IMAGE_PREFIX:-website\}-(?:site|proxy):\$\{VERSION/) as string,
          init: true,
          read_only: true,
          cap_drop: ['ALL'],
          stop_grace_period: '30s',
          logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
          deploy: {
            resources: {
              limits: {
                cpus: expect.any(String) as string,
                memory: expect.any(String) as string,
                pids: expect.any(Number) as number,
              },
            },
          },
        },
      ]);
    }
  });

  test('replaces webs by starting the next first, workers within their connections, and rolls back', () => {
    for (const [name, order] of [['web', 'start-first'], ['worker', 'stop-first']] as const) {
      expect(stack.services[name]?.deploy).toMatchObject({
        update_config: { parallelism: 1, order, failure_action: 'rollback' },
        rollback_config: { order },
      });
    }
  });

  test('restarts no worker for an outage, and sends nobody to a web ahead of its schema', () => {
    expect(stack.services['worker']?.healthcheck?.test?.at(-1)).toContain('worker-heartbeat');
    expect(stack.services['web']?.healthcheck?.test?.slice(2, 4)).toEqual(['server/check-health.sh', 'ready']);
  });

  test('opens the proxy’s ports only, at the host itself, where visitors’ addresses are seen', () => {
    const open = services.flatMap(([name, { ports = [] }]) =>
      ports.map(({ mode, published }) => [name, mode, published]),
    );

    expect(open).toEqual([
      ['proxy', 'host', 80],
      ['proxy', 'host', 443],
    ]);
  });

  test('takes every setting that the stack of one machine takes, but for its folders and its address', async () => {
    const compose = parse(await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8'), { merge: true }) as Stack;
    const taken = Object.keys(compose.services['worker']?.environment ?? {});

    expect(taken.filter((name) => !(name in (stack.services['worker']?.environment ?? {})))).toEqual(OF_ONE_MACHINE);
  });

  test('names settings that exist, and has every secret as a file of the site’s user', () => {
    for (const [name, { environment, secrets = [] }] of site) {
      const names = Object.keys(environment);
      expect([name, names.filter((setting) => !isKnown(setting))]).toEqual([name, []]);
      expect([name, names.filter((setting) => setting !== 'SECRETS_DIR' && isSecret(setting))]).toEqual([name, []]);
      expect([name, secrets.filter(({ target }) => !isSecret(target))]).toEqual([name, []]);
      expect(secrets.filter(({ uid, mode }) => uid !== '10001' || mode !== 0o400)).toEqual([]);
    }
    const web = stack.services['web']?.secrets ?? [];
    expect(web.map(({ target }) => target)).toEqual([...webSecretNames]);
    const used = new Set(site.flatMap(([, { secrets = [] }]) => secrets.map(({ source }) => source)));
    expect(Object.keys(stack.secrets).sort()).toEqual([...used].sort());
    for (const { external } of Object.values(stack.secrets)) expect(external).toBe(true);
  });

  test('asks for what it can’t know, and has no default for it', () => {
    for (const name of ['VERSION', 'PUBLIC_URL', 'LEGAL_EMAIL', 'MAIL_FROM', 'SALES_EMAIL', 'CRM_PROVIDER']) {
      expect(text).toContain(`\${${name}:?`);
    }
  });
});
