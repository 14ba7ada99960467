import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { settings } from '../shared/node/config/settings.ts';
import { projectRoot } from './processes.ts';

/*
 * Makes the templates of deploy/templates from the stack of a release (docs/decisions/070): deploy/release.sh
 * templates.
 */

/** Where the owner keeps the code, and the version: `deploy/release.sh publish` puts in what they are. */
const REPOSITORY_URL = 'https://git.example.com/owner/website';
const VERSION = '0.0.0';

const DESCRIPTION = 'Marketing website of a consultancy that stores every request and never loses one';
const TAGS = ['website', 'leads', 'forms', 'marketing'];

type Environment = Readonly<Record<string, string>>;

interface Service {
  readonly environment?: Environment;
  readonly volumes?: readonly string[];
  readonly [key: string]: unknown;
}

interface Stack {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks?: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const omit = <Value>(record: Readonly<Record<string, Value>>, ...keys: readonly string[]): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

/** What the operator gives; the addresses of PostgreSQL and Redis are the stack's own. */
const secrets: Environment = Object.fromEntries(
  Object.entries(settings)
    .filter(([name, setting]) => 'isSecret' in setting && !/^(?:DATABASE_|REDIS_URL)/.test(name))
    .map(([name]) => [name, `\${${name}:-}`]),
);

/** A folder beside the file, which a platform has none of, as a volume: `./holidays` is `holidays`. */
const toVolume = (mount: string) =>
  mount.replace(/^\$\{(\w+)_DIR:-[^}]*\}/, (_source, name: string) => name.toLowerCase());

const mapServices = <Changed>(services: Stack['services'], change: (service: Service, name: string) => Changed) =>
  Object.fromEntries(Object.entries(services).map(([name, service]) => [name, change(service, name)]));

const mapEnvironment = (service: Service, change: (environment: Environment) => Environment): Service =>
  service.environment && 'SITE_NAME' in service.environment
    ? { ...service, environment: change(service.environment) }
    : service;

/** The volumes that services mount; the platform gives them names of its own. */
const listVolumes = (services: Stack['services']) => {
  const names = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((mount) => mount.split(':')[0] ?? ''));

  return Object.fromEntries([...new Set(names)].map((name) => [name, {}]));
};

/**
 * The stack of a release in one file: each setting by its name, since a platform's file of settings has names of its
 * own too. The operator's tool runs in the service `backup`, which has the same image.
 */
async function readStack(): Promise<Stack> {
  const text = await readFile(join(projectRoot, 'docker-compose.release.yml'), 'utf8');
  const { services: all, networks } = parse(text, { merge: true }) as Required<Stack>;
  const { settings: check = {}, web = {}, ...others } = omit(all, 'ops');
  const environment = { ...omit(web.environment ?? {}, 'SECRETS_DIR'), ...secrets, ...check.environment };
  const services = mapServices(
    { settings: { ...omit(check, 'env_file'), environment }, web, ...others },
    (service) => (service.volumes ? { ...service, volumes: service.volumes.map(toVolume) } : service),
  );

  return { services, networks, volumes: listVolumes(services) };
}

/** Where the platform's proxy ends TLS and its network leads to port 3000 of web: one network, and no proxy of ours. */
function withoutProxy({ services: all }: Stack): Stack {
  const services = mapServices(omit(all, 'proxy'), (service, name) => {
    const { networks: _networks, network_mode: _mode, ...bare } = service;
    const { volumes = [] } = bare;
    const own = { ...bare, volumes: volumes.filter((mount) => !mount.startsWith('certificates:')) };

    return mapEnvironment(own, (environment) => ({
      ...omit(environment, 'BIND_ADDRESS', 'HTTP_PORT', 'HTTPS_PORT'),
      PORT: '3000',
      PUBLIC_URL: '${PUBLIC_URL:?}',
      LEGAL_EMAIL: '${LEGAL_EMAIL:?}',
      ...(name === 'settings' && { TLS: '' }),
    }));
  });

  return { services, volumes: listVolumes(services) };
}

const MADE = '# Made by deploy/release.sh templates. What to do with it is in docs/operations/install-on-a-platform.md.\n';

/** Written so that YAML 1.1 reads the same: `'no'` is no truth value. */
const toYaml = (stack: object) => stringify(stack, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 });

const toJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

/** Coolify generates SERVICE_… by their names, and gives every container all variables, secrets too (`withoutSecrets`). */
function makeCoolifyTemplate(stack: Stack): string {
  const services = mapServices(stack.services, (service, name) => {
    const own = mapEnvironment(service, (environment) => ({
      ...(name === 'web' && { SERVICE_URL_WEB_3000: '' }),
      ...environment,
      PUBLIC_URL: '${SERVICE_URL_WEB}',
      ...('SECRETS_DIR' in environment && { ENV_FILE: '.env' }),
      ...(name === 'settings' && {
        POSTGRES_PASSWORD: '${SERVICE_PASSWORD_64_POSTGRES}',
        COOKIE_SECRET: '${SERVICE_BASE64_64_COOKIE}',
      }),
    }));
    const { environment } = own;
    if (!environment) return own;
    const list = Object.entries(environment).map(([key, value]) =>
      key === 'SERVICE_URL_WEB_3000' ? key : `${key}=${value}`,
    );

    return { ...own, environment: list };
  });
  const header = {
    documentation: REPOSITORY_URL,
    slogan: `${DESCRIPTION}.`,
    category: 'marketing',
    tags: TAGS.join(','),
    logo: 'svgs/website.svg',
    port: '3000',
  };
  const lines = Object.entries(header).map(([key, value]) => `# ${key}: ${value}\n`);

  return `${lines.join('')}${MADE}\n${toYaml({ ...stack, services })}`;
}

const dokploySettings = `[variables]
main_domain = "\${domain}"
postgres_password = "\${hash:48}"
cookie_secret = "\${hash:64}"

[config]
env = [
  "IMAGE_PREFIX=",
  "VERSION=",
  "PUBLIC_URL=http://\${main_domain}",
  "LEGAL_EMAIL=",
  "POSTGRES_PASSWORD=\${postgres_password}",
  "COOKIE_SECRET=\${cookie_secret}",
]
mounts = []

[[config.domains]]
serviceName = "web"
port = 3000
host = "\${main_domain}"
`;

const dokployMeta = {
  id: 'website',
  name: 'Consultancy website',
  version: VERSION,
  description: `${DESCRIPTION}.`,
  logo: 'website.svg',
  links: { github: REPOSITORY_URL, website: '', docs: '' },
  tags: TAGS,
};

/** Portainer has no proxy and generates nothing: the stack's own proxy stays, and the operator types the secrets. */
const portainerTemplates = {
  version: '3',
  templates: [
    {
      id: 1,
      type: 3,
      title: 'Consultancy website',
      description: `${DESCRIPTION}.`,
      note: 'IMAGE_PREFIX is where the images are; the two secrets are made with <code>openssl rand -hex 32</code>.',
      categories: ['website'],
      platform: 'linux',
      repository: { url: REPOSITORY_URL, stackfile: 'deploy/templates/portainer/docker-compose.yml' },
      env: [
        { name: 'IMAGE_PREFIX', label: 'Images, like registry.example.com/website' },
        { name: 'VERSION', label: 'Version, the tag of the images' },
        { name: 'POSTGRES_PASSWORD', label: 'Password of PostgreSQL (a secret)' },
        { name: 'COOKIE_SECRET', label: 'Signs cookies and links (another secret)' },
        { name: 'PUBLIC_URL', label: 'Address of the site, like https://www.example.com' },
        { name: 'LEGAL_EMAIL', label: 'Contact on the legal pages' },
        { name: 'SMTP_URL', label: 'Mail server; empty: mails become files' },
        { name: 'MAIL_FROM', label: 'Sender of mails' },
        { name: 'SALES_EMAIL', label: 'Who gets the mails' },
      ],
    },
  ],
};

/** The content of each file of deploy/templates, by its path there. */
export async function makePlatformTemplates(): Promise<ReadonlyMap<string, string>> {
  const stack = await readStack();
  const behindProxy = withoutProxy(stack);

  return new Map([
    ['coolify/website.yaml', makeCoolifyTemplate(behindProxy)],
    ['dokploy/docker-compose.yml', `${MADE}\n${toYaml(behindProxy)}`],
    ['dokploy/template.toml', dokploySettings],
    ['dokploy/meta.json', toJson(dokployMeta)],
    ['dokploy/website.svg', await readFile(join(projectRoot, 'client/public/favicon.svg'), 'utf8')],
    ['portainer/docker-compose.yml', `${MADE}\n${toYaml(stack)}`],
    ['portainer/templates.json', toJson(portainerTemplates)],
  ]);
}

if (import.meta.main) {
  for (const [path, content] of await makePlatformTemplates()) {
    const file = join(projectRoot, 'deploy', 'templates', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
