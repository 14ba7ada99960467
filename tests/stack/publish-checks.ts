import assert from 'node:assert/strict';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Check } from './container-checks.ts';
import type { Stack } from './stack.ts';
import { startLoad } from './steady-load.ts';

const HEADING = 'Eight ways to take work off your desk';
const SOLUTION = 'data-strategy';
const CHANGED = 'What we take off your desk';

/** The owner's content, which is changed, refused, and taken back while visitors come. */
export function checkPublishing(stack: Stack): Check[] {
  const file = join(stack.folder, 'content/pages/home.yaml');
  const publish = (...options: string[]) => stack.compose('run', '--rm', '-T', 'publish', ...options);
  const addSolution = async () => {
    const folder = join(stack.folder, 'content');
    await copyFile(join(folder, 'pictures/vendor-management.jpg'), join(folder, `pictures/${SOLUTION}.jpg`));
    const text = await readFile(join(folder, 'solutions/vendor-management.yaml'), 'utf8');
    const added = join(folder, `solutions/${SOLUTION}.yaml`);
    await writeFile(added, text.replace(/^picture: .*/m, `picture: ${SOLUTION}.jpg`));

    return () => rm(added);
  };
  const readStatus = async () => (await fetch(`${stack.origin}/solutions/${SOLUTION}`)).status;
  const readHome = async () => (await fetch(stack.origin)).text();

  return [
    [
      'publishes a changed sentence and a new solution, refuses a mistake and goes back, while no page fails and no request is lost',
      async () => {
        const sample = await readFile(file, 'utf8');
        const removeSolution = await addSolution();
        const load = startLoad(stack.origin);
        try {
          await writeFile(file, sample.replace(HEADING, CHANGED));
          await publish();
          assert.match(await readHome(), new RegExp(CHANGED));
          assert.equal(await readStatus(), 200);
          await writeFile(file, sample.replace(`heading: ${HEADING}`, 'heading:'));
          await assert.rejects(publish(), /content\/pages\/home\.yaml:\d+: /);
          assert.match(await readHome(), new RegExp(CHANGED));
          await publish('--back');
          assert.match(await readHome(), new RegExp(HEADING));
          assert.equal(await readStatus(), 404);
        } finally {
          const { failures } = await load.end();
          await writeFile(file, sample);
          await removeSolution();
          // While a build takes the processors a post may be asked to come again.
          assert.deepEqual(failures.filter((failure) => !/^post .* 503$/.test(failure)), []);
        }
      },
    ],
  ];
}
