import assert from 'node:assert/strict';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/processes.ts';
import { Hour } from '../../shared/time.ts';
import type { Check } from './container-checks.ts';
import { expectDelivered, postNew } from './deliveries.ts';
import { IMAGES, serviceOf, type Stack } from './stack.ts';

/** The bundle's images, by name and tag. The tag is the stack's unique project name. */
const listTags = (stack: Stack) => IMAGES.map((name) => `website-${name}:${stack.project}`);

async function unpack(stack: Stack, bundle: string): Promise<void> {
  const options = ['--directory', stack.folder, '--strip-components', '1'];
  await stack.runScript('tar', '--extract', '--file', join(stack.folder, bundle), ...options);
}

/** Checks the labels that tell an operator an image's version and commit. */
async function checkLabels(stack: Stack): Promise<void> {
  for (const tag of listTags(stack)) {
    const format = '{{json .Config.Labels}}';
    const text = await stack.docker('image', 'inspect', '--format', format, tag);
    const labels = JSON.parse(text) as Readonly<Record<string, string>>;
    assert.equal(labels['org.opencontainers.image.version'], stack.project, tag);
    assert.match(labels['org.opencontainers.image.revision'] ?? '', /^[0-9a-f]{40}/, tag);
    const age = Date.now() - Date.parse(labels['org.opencontainers.image.created'] ?? '');
    assert.ok(age >= 0 && age < Hour, `${tag} was created ${age} ms ago.`);
  }
}

/** Removes the bundle's images, as if the machine had never had them. */
const removeImages = (stack: Stack) => stack.docker('image', 'rm', ...listTags(stack));

function checkStart(stack: Stack): Check[] {
  return [
    [
      'starts with only the bundle’s images',
      async () => {
        await stack.runScript('./install');
        await stack.changeSettings(stack.own);
        await stack.compose('up', '-d', '--no-build');
        await stack.waitUntilReady(stack.origin);
        const own = new Set(listTags(stack));
        for (const { Config, ...container } of await stack.inspect()) {
          const service = serviceOf({ Config, ...container });
          if (['postgres', 'redis'].includes(service)) continue;
          assert.ok(own.has(Config.Image), `${service} runs ${Config.Image}.`);
        }
      },
    ],
    [
      'contains lists of the packages in the site and ops images',
      async () => {
        for (const name of ['site', 'ops']) {
          const file = join(stack.folder, 'sbom', `website-${name}.cdx.json`);
          const { bomFormat } = JSON.parse(await readFile(file, 'utf8')) as { bomFormat: string };
          assert.equal(bomFormat, 'CycloneDX', name);
        }
      },
    ],
    [
      'moves its data to a new PostgreSQL with one script',
      async () => {
        const before = await postNew(stack);
        await expectDelivered(stack, [before]);
        // The major version stays the same here. With a new one, only the images would differ.
        const output = await stack.runScript('deploy/upgrade-postgres.sh', '--no-build');
        const [, oldVolume = ''] = /docker volume rm (\S+)/.exec(output) ?? assert.fail(output);
        await stack.waitUntilReady(stack.origin);
        await expectDelivered(stack, [before, await postNew(stack)]);
        await stack.docker('volume', 'rm', oldVolume);
      },
    ],
    [
      'can be removed with all its images',
      async () => {
        await stack.compose('down', '--timeout', '5');
        await removeImages(stack);
      },
    ],
  ];
}

/**
 * Checks an install from a bundle without internet access, in a separate stack with an empty folder. The last check
 * removes the images, because Compose doesn't remove named images.
 */
export function checkBundle(stack: Stack): Check[] {
  const bundle = `website-${stack.project}.tar`;

  return [
    [
      'creates a bundle with a checksum',
      async () => {
        const script = join(projectRoot, 'deploy', 'bundle.sh');
        await stack.runScript(script, '--version', stack.project, stack.folder);
        await stack.runScript('sha256sum', '--check', `${bundle}.sha256`);
        await checkLabels(stack);
        await removeImages(stack);
      },
    ],
    [
      'refuses a bundle with a changed file, and loads the original bundle',
      async () => {
        await unpack(stack, bundle);
        await appendFile(join(stack.folder, 'docker-compose.yml'), '\n');
        const refused = await stack.tryScript('deploy/load-bundle.sh');
        assert.notEqual(refused.exitCode, 0);
        assert.match(refused.errorOutput, /damaged or changed/);
        await unpack(stack, bundle);
        await stack.runScript('deploy/load-bundle.sh');
      },
    ],
    ...checkStart(stack),
  ];
}
