import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listSlugs } from '../../scripts/content/site-paths.ts';
import { siteFilePaths } from '../../shared/paths.ts';
import { makeChance } from '../faults/chance.ts';
import { findDeadLinks } from '../support/find-dead-links.ts';
import { ADDED_PATHS, randomizeContent } from '../support/random-content.ts';
import type { Check } from './container-checks.ts';
import type { Stack } from './stack.ts';
import { expectNoFailure } from './steady-load.ts';

/** The owner's content folder, next to the compose file. */
export const OWN_CONTENT = './own-content';

const HOME = 'pages/home.yaml';
const HEADING = 'Eight ways to take work off your desk';
const CHANGED = 'What we take off your desk';
const SOLUTION = 'data-strategy';
const OTHER_VERSION = 'another-version';
/** The seed of the random content. */
const SEED = 1;

/** Returns whether a failure is a 503 for a post. Web may send it while a build keeps the processors busy. */
const isBusyPost = (failure: string) => /^post .* 503$/.test(failure);

/** Checks under load that the owner's content is published, and that upgrades keep it. */
export function checkPublishing(stack: Stack): Check[] {
  const pathTo = (file: string) => join(stack.folder, OWN_CONTENT, file);
  const edit = async (file: string, change: (text: string) => string, copy = file) =>
    writeFile(pathTo(copy), change(await readFile(pathTo(file), 'utf8')));
  const publish = (...options: string[]) => stack.compose('run', '--rm', '-T', 'publish', ...options);
  const readHome = async () => (await fetch(stack.origin)).text();
  const readStatus = async () => (await fetch(`${stack.origin}/solutions/${SOLUTION}`)).status;
  const expectOwnContent = async () => {
    assert.match(await readHome(), new RegExp(CHANGED));
    assert.equal(await readStatus(), 200);
  };

  return [
    [
      'publishes a changed sentence and a new solution, and reverts them, without a failed page or a lost request',
      async () => {
        await publish('--init');
        await randomizeContent(pathTo(''), makeChance(SEED));
        await edit(HOME, (text) => text.replace(HEADING, CHANGED));
        const picture = `${SOLUTION}.jpg`;
        await copyFile(pathTo('pictures/vendor-management.jpg'), pathTo(`pictures/${picture}`));
        const setPicture = (text: string) => text.replace(/^picture: .*/m, `picture: ${picture}`);
        const [other = ''] = listSlugs(pathTo('solutions'), '.yaml');
        await edit(`solutions/${other}.yaml`, setPicture, `solutions/${SOLUTION}.yaml`);
        const publishAndGoBack = async () => {
          await publish();
          await expectOwnContent();
          await publish('--back');
          assert.match(await readHome(), new RegExp(HEADING));
          assert.equal(await readStatus(), 404);
        };
        await expectNoFailure(stack, publishAndGoBack, isBusyPost);
      },
    ],
    [
      'is not changed by an upgrade that rejects the content and lists its mistakes',
      async () => {
        // Builds belong to a version, so this version publishes the content again.
        const dockerfile = join(stack.folder, 'Dockerfile');
        const text = await readFile(dockerfile, 'utf8');
        const setVersion = `RUN printf ${OTHER_VERSION} > dist/version\n`;
        await writeFile(dockerfile, text.replace(/^RUN chmod -R a\+rX package\.json dist .*\n/m, `$&${setVersion}`));
        await edit(HOME, (home) => home.replace(CHANGED, ''));
        const before = await stack.inspect();
        const { exitCode, output, errorOutput } = await stack.tryScript('deploy/upgrade.sh', '--no-pull');
        assert.equal(exitCode, 1, output);
        assert.match(output + errorOutput, /content\/pages\/home\.yaml:\d+: /);
        assert.match(errorOutput, /your content cannot be published with this version, see above; nothing was changed/);
        const after = await stack.inspect();
        assert.deepEqual(after.map(({ Id }) => Id), before.map(({ Id }) => Id));
        assert.match(await readHome(), new RegExp(HEADING));
      },
    ],
    [
      'keeps the content during an upgrade without a failed request, and has no dead links',
      async () => {
        await edit(HOME, (home) => home.replace(/heading: *$/m, `heading: ${CHANGED}`));
        await expectNoFailure(stack, () => stack.runScript('deploy/upgrade.sh', '--no-pull'), isBusyPost);
        assert.equal(await stack.exec('web', 'cat', 'dist/version'), OTHER_VERSION);
        await expectOwnContent();
        assert.deepEqual(await findDeadLinks(stack.origin, ['/', siteFilePaths.sitemap, ...ADDED_PATHS]), []);
      },
    ],
  ];
}
