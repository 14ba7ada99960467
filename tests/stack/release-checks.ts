import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../../scripts/processes.ts';
import { makeContactBody } from '../support/contact-request.ts';
import type { Check } from './container-checks.ts';
import { expectDelivered } from './deliveries.ts';
import { runCommand } from './run-command.ts';
import { IMAGES, writeLines, type Stack } from './stack.ts';

const SECRET = 'x'.repeat(64);
const VERSION = 'test';

/** Tags this version's images with release names, because Compose gives a stack's images different names. */
async function tagImages({ built, docker, project }: Stack): Promise<void> {
  await built;
  for (const target of IMAGES) {
    await docker('build', '--target', target, '--tag', `${project}-${target}:${VERSION}`, projectRoot);
  }
}

/** Writes the compose file for a platform that has its own proxy and passes all variables to every container. */
async function layOut({ context, folder, own, project, settingsFile }: Stack): Promise<void> {
  const env = { ...context.env, IMAGE_PREFIX: project, VERSION };
  const release = await runCommand([join(projectRoot, 'deploy/release.sh'), 'compose'], { ...context, env });
  const { services, ...others } = parse(release, { merge: true }) as { readonly services: Readonly<Record<string, object>> };
  const pasted = Object.entries(services)
    .filter(([name]) => name !== 'proxy')
    .map(([name, service]) => [name, { ...service, env_file: ['.env'] }]);
  // JSON quotes strings that Compose 1 would read as booleans (YAML 1.1), such as `restart: "no"`.
  const file = JSON.stringify({ ...others, services: Object.fromEntries(pasted) });
  await writeFile(join(folder, 'docker-compose.yml'), file);
  await writeFile(
    settingsFile,
    writeLines({
      ...own,
      ...{ PUBLIC_URL: 'https://www.example.com', POSTGRES_PASSWORD: SECRET, COOKIE_SECRET: SECRET },
      ...{ SERVICE_URL_WEB_3000: 'https://www.example.com', COOLIFY_FQDN: 'www.example.com' },
    }),
  );
}

/** A script that posts from within a container, because no proxy publishes the site here. */
const POST = `
  const [body] = process.argv.slice(1);
  const headers = { 'content-type': 'application/json' };
  fetch('http://localhost:' + process.env.PORT + '/api/contact-submissions', { method: 'POST', headers, body })
    .then(({ status }) => console.log(status));
`;

async function checkStart(stack: Stack): Promise<void> {
  await layOut(stack);
  await stack.compose('up', '-d');
  await stack.waitUntilHealthy('web', 'worker', 'postgres', 'redis');
  const body = makeContactBody();
  assert.equal((await stack.runNode('web', POST, JSON.stringify(body))).trim(), '201');
  await expectDelivered(stack, [body.id]);
  const report = await stack.exec('backup', 'node', 'ops/main.ts', 'doctor').catch(String);
  const failed = [...report.matchAll(/^fail {2}(\S+(?: \S+)*)/gm)].map(([, check]) => check);
  // Nothing responds at PUBLIC_URL here.
  assert.deepEqual(failed, ['form now'], report);
  await stack.compose('down', '--volumes', '--timeout', '5');
}

/**
 * Checks a release's compose file, started as a platform would start it (docs/operations/install.md). The last check
 * removes the images, because Compose doesn't remove named images.
 */
export function checkRelease(stack: Stack): Check[] {
  return [
    ['has images with release names', () => tagImages(stack)],
    ['starts with only the pasted file, stores a request and sends its mails', () => checkStart(stack)],
    [
      'can be removed with all its images',
      () => stack.docker('image', 'rm', ...IMAGES.map((target) => `${stack.project}-${target}:${VERSION}`)),
    ],
  ];
}
