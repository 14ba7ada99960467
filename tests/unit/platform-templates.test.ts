import { glob, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { makePlatformTemplates } from '../../scripts/platform-templates.ts';
import { loadConfig, loadWebConfig } from '../../shared/node/config/config.ts';
import { makeStackSecrets } from '../../shared/node/config/stack-secrets.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

type Environment = Readonly<Record<string, string>>;

interface Service {
  readonly image: string;
  readonly restart: string;
  readonly environment?: Environment | readonly string[];
  readonly env_file?: unknown;
  readonly networks?: unknown;
  readonly network_mode?: unknown;
  readonly ports?: readonly string[];
  readonly volumes: readonly string[];
  readonly container_name?: unknown;
}

interface Stack {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks?: unknown;
  readonly volumes: Readonly<Record<string, object>>;
}

const folder = new URL('../../deploy/templates/', import.meta.url);
const read = (file: string) => readFile(new URL(file, folder), 'utf8');
const release = parse(await readFile(new URL('../../docker-compose.release.yml', import.meta.url), 'utf8'), {
  merge: true,
}) as Stack;
const composeFiles = ['coolify/website.yaml', 'dokploy/docker-compose.yml', 'portainer/docker-compose.yml'] as const;
const stacks = new Map(
  await Promise.all(composeFiles.map(async (file) => [file, parse(await read(file)) as Stack] as const)),
);
const getStack = (file: (typeof composeFiles)[number]) => stacks.get(file) as Stack;

/** What a template has otherwise than the stack. */
const CHANGED = ['environment', 'env_file', 'volumes', 'networks', 'network_mode', 'ports'];

/** What the operator types; the rest is generated or has a default. */
const typed = { LEGAL_EMAIL: 'legal@example.com', SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'a@example.com', SALES_EMAIL: 'b@example.com' };
const generated = 'x'.repeat(64);

/** A service's own variables, with `given` put in as Compose does. */
function getEnvironment({ environment = {} }: Service, given: Environment): Record<string, string> {
  const pairs = Array.isArray(environment)
    ? (environment as readonly string[]).map((line): [string, string] => {
        const [name = '', ...value] = line.split('=');

        return [name, line.includes('=') ? value.join('=') : (given[name] ?? '')];
      })
    : Object.entries(environment as Environment);

  return Object.fromEntries(
    pairs.map(([name, value]) => [
      name,
      String(value).replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_all, key: string, fallback = '') =>
        given[key] || String(fallback),
      ),
    ]),
  );
}

/** A folder with the files that `settings` writes for a group of containers. */
function writeSecrets(secrets: ReadonlyMap<string, string>): string {
  return makeTemporaryFolder(Object.fromEntries(secrets));
}

test('they are made of the stack of a release as it is now', async () => {
  const files: string[] = [];
  for await (const file of glob('*/*', { cwd: folder })) files.push(file);
  const expected = await makePlatformTemplates();

  expect(files.sort()).toEqual([...expected.keys()].sort());
  for (const [file, content] of expected) expect([file, await read(file)]).toEqual([file, content]);
});

describe.each(composeFiles)('%s', (file) => {
  const stack = getStack(file);

  test('matches the Compose specification', async () => {
    const linterFolder = join(createRequire(import.meta.url).resolve('dclint/package.json'), '..');
    const schema = JSON.parse(await readFile(join(linterFolder, 'schemas', 'compose.schema.json'), 'utf8')) as object;
    const validate = new Ajv({ strict: false, validateFormats: false, validateSchema: false }).compile(schema);

    expect([validate(stack), validate.errors]).toEqual([true, null]);
  });

  test('has the services of the stack with their images, commands and limits, and no file or folder beside it', () => {
    const names = Object.keys(release.services).filter((name) => !['ops', ...(file.startsWith('portainer') ? [] : ['proxy'])].includes(name));
    expect(Object.keys(stack.services).sort()).toEqual(names.sort());
    for (const [name, service] of Object.entries(stack.services)) {
      const same = Object.entries(release.services[name] ?? {}).filter(([key]) => !CHANGED.includes(key));
      expect(service).toMatchObject(Object.fromEntries(same));
      expect(service).not.toHaveProperty('env_file');
      for (const volume of service.volumes) expect(Object.keys(stack.volumes)).toContain(volume.split(':')[0]);
    }
  });
});

describe('Coolify', async () => {
  const { services } = getStack('coolify/website.yaml');
  const text = await read('coolify/website.yaml');
  const given = {
    ...typed,
    SERVICE_URL_WEB: 'https://www.example.com',
    SERVICE_URL_WEB_3000: 'https://www.example.com:3000',
    SERVICE_PASSWORD_64_POSTGRES: generated,
    SERVICE_BASE64_64_COOKIE: generated,
  };
  /** What it adds to each container: the whole file of variables, and names of its own. */
  const added = { ...given, COOLIFY_RESOURCE_UUID: 'x', COOLIFY_FQDN: 'www.example.com', SERVICE_NAME_WEB: 'web' };
  const secrets = makeStackSecrets({ ...added, ...getEnvironment(services['settings'] as Service, given) });

  test('reads what the file says of itself, and which port of which service visitors reach', () => {
    const header = [...text.matchAll(/^# (\w+): (.+)$/gm)].map(([, key]) => key);

    expect(header).toEqual(['documentation', 'slogan', 'category', 'tags', 'logo', 'port']);
    expect(services['web']?.environment).toContain('SERVICE_URL_WEB_3000');
  });

  test('generates every name that begins as its own do', () => {
    const names = new Set([...text.matchAll(/\bSERVICE_\w+/g)].map(([name]) => name));

    for (const name of names) expect(name).toMatch(/^SERVICE_(?:URL_WEB(?:_3000)?|PASSWORD_64_POSTGRES|BASE64_64_COOKIE)$/);
  });

  test('may give each process the whole file of variables: its secrets are those that are files', () => {
    for (const [name, load, files] of [['web', loadWebConfig, secrets.web], ['worker', loadConfig, secrets.site]] as const) {
      const own = getEnvironment(services[name] as Service, given);
      const environment = { ...added, ...own, SECRETS_DIR: writeSecrets(files) };
      for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
      const { site, mail } = load();
      vi.unstubAllEnvs();

      expect(site.publicUrl).toBe('https://www.example.com');
      expect(mail.smtpUrl).toBe(name === 'web' ? undefined : typed.SMTP_URL);
    }
  });
});

describe('Dokploy', async () => {
  const { services, networks } = getStack('dokploy/docker-compose.yml');
  const toml = await read('dokploy/template.toml');
  const variables = [...toml.matchAll(/^ {2}"(\w+)=(.*)",$/gm)].map(([, name = '', value = '']) => [name, value] as const);

  test('finds no network, no published port and no name of a container, which are its own', () => {
    expect(networks).toBeUndefined();
    for (const service of Object.values(services)) {
      for (const key of ['networks', 'network_mode', 'ports', 'container_name']) expect(service).not.toHaveProperty(key);
    }
  });

  test('leads a domain to a service that there is, and generates by helpers that it has', () => {
    expect(toml).toMatch(/^\[\[config\.domains\]\]\nserviceName = "web"\nport = 3000\nhost = "\$\{main_domain\}"$/m);
    const own = [...toml.matchAll(/^(\w+) = "\$\{(\w+)(?::\d+)?\}"$/gm)].map(([, name = '', helper = '']) => [name, helper]);
    for (const [name, helper] of own) if (name !== 'host') expect(['domain', 'hash']).toContain(helper);
    for (const [, value] of variables) {
      for (const [, name] of value.matchAll(/\$\{(\w+)\}/g)) expect(own.map(([key]) => key)).toContain(name);
    }
  });

  test('asks for every variable that the file requires, and what it generates passes the check of the settings', () => {
    const required = JSON.stringify(services).matchAll(/\$\{(\w+):\?/g);
    const names = new Set([...required].map(([, name = '']) => name));
    const given = { ...typed, PUBLIC_URL: 'http://x.example.com', POSTGRES_PASSWORD: generated, COOKIE_SECRET: generated };

    expect(variables.map(([name]) => name)).toEqual(expect.arrayContaining([...names]));
    expect(() => makeStackSecrets(getEnvironment(services['settings'] as Service, given))).not.toThrow();
  });

  test('has the description that its list demands', async () => {
    const meta = JSON.parse(await read('dokploy/meta.json')) as Readonly<Record<string, unknown>>;

    expect(meta).toMatchObject({ id: 'website', version: '0.0.0', logo: 'website.svg', tags: expect.arrayContaining(['website']) });
    expect(meta).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    expect(meta['links']).toMatchObject({ github: expect.any(String), website: '', docs: '' });
  });
});

describe('Portainer', async () => {
  const stack = getStack('portainer/docker-compose.yml');
  const list = JSON.parse(await read('portainer/templates.json')) as {
    readonly templates: ReadonlyArray<{
      readonly env: ReadonlyArray<{ readonly name: string; readonly label: string; readonly default?: string }>;
      readonly repository: { readonly stackfile: string };
    }>;
  };
  const [template] = list.templates;

  test('reads the list: version 3, a Compose stack of a repository', async () => {
    expect(list).toMatchObject({
      version: '3',
      templates: [{ id: 1, type: 3, title: expect.any(String), description: expect.any(String), platform: 'linux' }],
    });
    expect(await read(template?.repository.stackfile.replace('deploy/templates/', '') ?? '')).toContain('services:');
  });

  test('asks for every variable that the file requires, and what is typed passes the check of the settings', () => {
    const names = new Set([...JSON.stringify(stack.services).matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name));
    const given = { ...typed, PUBLIC_URL: 'https://www.example.com', POSTGRES_PASSWORD: generated, COOKIE_SECRET: generated };

    expect(template?.env.map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
    expect(() => makeStackSecrets(getEnvironment(stack.services['settings'] as Service, given))).not.toThrow();
  });

  test('keeps the stack’s own proxy, networks and ports: it has none', () => {
    expect(stack.services['proxy']?.ports).toEqual(release.services['proxy']?.ports);
    expect(stack.networks).toEqual(release.networks);
    expect(stack.services['settings']).toMatchObject({ networks: ['data'] });
  });
});
