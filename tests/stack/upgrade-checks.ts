import assert from 'node:assert/strict';
import { PREVIOUS_REVISION } from '../support/previous-version.ts';
import type { Check } from './container-checks.ts';
import { askUntilAnswered, expectDelivered, getHeader, postNew, readMailsOf } from './deliveries.ts';
import {
  layOutPreviousVersion,
  layOutThisVersion,
  removePreviousVersion,
  removeThisVersion,
} from './source.ts';
import { FREQUENT_HEALTH_CHECKS, type Stack } from './stack.ts';

/** Checks an upgrade from the previous version and a downgrade back to it, in a folder with the operator's files. */
export function checkUpgrade(stack: Stack): Check[] {
  let before = '';
  let during = '';

  return [
    [
      `starts the previous version (${PREVIOUS_REVISION})`,
      async () => {
        await layOutPreviousVersion(stack.folder);
        await stack.provideImages();
        // The last mails become due while the new version is being built.
        await stack.writeSettings({ ...stack.own, ...FREQUENT_HEALTH_CHECKS, FOLLOW_UP_AFTER: '10s' });
        // Builds the versions one by one. A new engine that builds both at the same time reuses neither's layers.
        await stack.built;
        await stack.compose('build');
        await stack.compose('up', '-d');
        await stack.waitUntilReady(stack.origin);
        before = await postNew(stack);
        await expectDelivered(stack, [before]);
        during = await postNew(stack);
      },
    ],
    [
      'is upgraded to this version by one script, which makes a backup first',
      async () => {
        await removePreviousVersion(stack.folder);
        await layOutThisVersion(stack.folder);
        const output = await stack.runScript('deploy/upgrade.sh', '--no-pull');
        assert.match(output, /Backup: backups\/before-upgrade-\S+\.dump/);
        assert.match(output, /The upgrade is done\./);
        await stack.waitUntilHealthy('worker');
      },
    ],
    [
      'keeps every request, loses no mail and sends none again',
      async () => {
        const after = await postNew(stack);
        await expectDelivered(stack, [before, during, after]);
        const [mail] = await readMailsOf(stack, before);
        const link = /http\S+(\/follow-up\/\S+)/.exec(mail?.text ?? '')?.[1];
        assert.equal(getHeader(mail ?? assert.fail('There is no mail.'), 'x-submission-id'), before);
        const page = await askUntilAnswered('the link', () => fetch(stack.origin + link));
        assert.equal(page.status, 200);
      },
    ],
    [
      'is downgraded to the previous version as the handbook describes',
      async () => {
        await removeThisVersion(stack.folder);
        await layOutPreviousVersion(stack.folder);
        await stack.runScript('deploy/upgrade.sh', '--no-pull');
        await expectDelivered(stack, [before, during, await postNew(stack)]);
      },
    ],
    [
      'can be removed completely, with its volumes',
      async () => {
        await stack.compose('down', '--volumes');
        assert.deepEqual(await stack.inspect(), []);
      },
    ],
  ];
}
