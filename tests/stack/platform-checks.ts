import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { projectRoot } from '../../scripts/processes.ts';
import { makeContactBody } from '../support/contact-request.ts';
import type { Check } from './container-checks.ts';
import { expectDelivered } from './deliveries.ts';
import { IMAGES, writeLines, type Settings, type Stack } from './stack.ts';

const SECRET = 'x'.repeat(64);

/** A template as its platform starts it (docs/operations/install-on-a-platform.md). */
interface Platform {
  readonly name: string;
  /** Below `deploy/templates`. */
  readonly file: string;
  /** What the operator types, and what the platform adds. */
  readonly variables: Settings;
  /** Whether every container gets the whole file of variables. */
  readonly sharesVariables?: boolean;
}

const listPlatforms = ({ own }: Stack): readonly Platform[] => [
  {
    name: 'Coolify',
    file: 'coolify/website.yaml',
    variables: {
      SERVICE_URL_WEB: 'https://www.example.com',
      SERVICE_PASSWORD_64_POSTGRES: SECRET,
      SERVICE_BASE64_64_COOKIE: SECRET,
      COOLIFY_FQDN: 'www.example.com',
    },
    sharesVariables: true,
  },
  {
    name: 'Dokploy',
    file: 'dokploy/docker-compose.yml',
    variables: { PUBLIC_URL: 'https://www.example.com', POSTGRES_PASSWORD: SECRET, COOKIE_SECRET: SECRET },
  },
  {
    name: 'Portainer',
    file: 'portainer/docker-compose.yml',
    variables: {
      ...{ PUBLIC_URL: 'https://www.example.com', POSTGRES_PASSWORD: SECRET, COOKIE_SECRET: SECRET },
      ...{ PORT: own.PORT, HTTP_PORT: own.HTTP_PORT, HTTPS_PORT: own.HTTPS_PORT },
    },
  },
];

/** Images of this version by the names that a release has: Compose gives those of a stack names of its own. */
async function tagImages({ built, docker, project }: Stack): Promise<void> {
  await built;
  for (const target of IMAGES) {
    await docker('build', '--target', target, '--tag', `${project}-${target}:test`, projectRoot);
  }
}

/** Lays the template out as the folder's own stack, with what its platform adds to each service. */
async function layOut({ folder, own, project, settingsFile }: Stack, platform: Platform): Promise<void> {
  const template = await readFile(join(projectRoot, 'deploy', 'templates', platform.file), 'utf8');
  const { services } = parse(template) as { readonly services: Readonly<Record<string, object>> };
  const added = Object.keys(services).map((name) => [
    name,
    {
      ...(platform.sharesVariables && { env_file: ['.env'] }),
      ...(['web', 'worker'].includes(name) && { healthcheck: { interval: '3s' } }),
    },
  ]);
  const variables = {
    ...{ IMAGE_PREFIX: project, VERSION: 'test', LEGAL_EMAIL: own.LEGAL_EMAIL, FOLLOW_UP_AFTER: own.FOLLOW_UP_AFTER },
    ...{ FOLLOW_UP_REMINDER_AFTER: own.FOLLOW_UP_REMINDER_AFTER, ...platform.variables },
  };
  await writeFile(join(folder, 'docker-compose.yml'), template);
  await writeFile(join(folder, 'docker-compose.override.yml'), stringify({ services: Object.fromEntries(added) }));
  await writeFile(settingsFile, writeLines(variables));
}

/** Posts from within: of two platforms the proxy that publishes the site is not here. */
const POST = `
  const [body] = process.argv.slice(1);
  const headers = { 'content-type': 'application/json' };
  fetch('http://localhost:' + process.env.PORT + '/api/contact-submissions', { method: 'POST', headers, body })
    .then(({ status }) => console.log(status));
`;

async function checkPlatform(stack: Stack, platform: Platform): Promise<void> {
  await layOut(stack, platform);
  await stack.compose('up', '-d');
  await stack.waitUntilHealthy('web', 'worker', 'postgres', 'redis');
  const body = makeContactBody();
  assert.equal((await stack.runNode('web', POST, JSON.stringify(body))).trim(), '201');
  await expectDelivered(stack, [body.id]);
  // It ends with 1 where a check fails.
  await stack.exec('backup', 'node', 'ops/main.ts', 'doctor');
  await stack.compose('down', '--volumes', '--timeout', '5');
}

/**
 * The templates of platforms, one after the other, as Compose starts them.
 * Compose doesn't remove images that have names: the last check does.
 */
export function checkPlatforms(stack: Stack): Check[] {
  return [
    ['has images by the names of a release', () => tagImages(stack)],
    ...listPlatforms(stack).map(
      (platform): Check => [
        `${platform.name}’s template starts the site, which stores a request and sends its mails`,
        () => checkPlatform(stack, platform),
      ],
    ),
    [
      'leaves no image behind',
      () => stack.docker('image', 'rm', ...IMAGES.map((target) => `${stack.project}-${target}:test`)),
    ],
  ];
}
