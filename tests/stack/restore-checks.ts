import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import type { Check } from './container-checks.ts';
import { expectDelivered, postNew, readMailsOf } from './deliveries.ts';
import type { Stack } from './stack.ts';

const FIRST_MAIL = ['new'];

interface Backup {
  readonly file: string;
  readonly rows: Readonly<Record<string, number>>;
}

/** The worst day: the volumes of PostgreSQL and Redis are gone, the backup was copied elsewhere. */
export function checkRestore(stack: Stack): Check[] {
  let delivered = '';
  let owed = '';
  let backup: Backup = { file: '', rows: {} };
  const copy = join(stack.folder, 'copy');
  const destroy = (volume: string) => stack.docker('volume', 'rm', `${stack.project}-${volume}`);

  return [
    [
      'backs up what is done and what is owed',
      async () => {
        delivered = await postNew(stack);
        await expectDelivered(stack, [delivered], FIRST_MAIL);
        await stack.compose('stop', 'worker');
        owed = await postNew(stack);
        backup = JSON.parse(await stack.ops('backup', '--json')) as Backup;
        assert.ok((backup.rows['contact_submissions'] ?? 0) >= 2);
        await mkdir(copy);
        for (const name of [backup.file, `${backup.file}.sha256`]) {
          const [holder] = await stack.inspectService('backup');
          await stack.docker('cp', `${holder?.Id}:${name}`, copy);
        }
      },
    ],
    [
      'restores into a stack without data, holding everything back',
      async () => {
        await stack.compose('down');
        for (const volume of ['postgres', 'redis', 'backups']) await destroy(volume);
        await stack.compose('up', '-d', 'backup');
        const [holder] = await stack.inspectService('backup');
        await stack.docker('cp', `${copy}/.`, `${holder?.Id}:/data/backups`);
        await stack.compose('stop', 'backup');
        await stack.ops('restore', backup.file);
        await stack.compose('up', '-d');
        await stack.waitUntilReady(stack.origin);
        await stack.waitUntilHealthy('worker');
        const [count] = await stack.query<{ readonly count: number }>(
          'select count(*) from contact_submissions',
        );
        assert.equal(count?.count, backup.rows['contact_submissions']);
        // New requests are taken; nothing leaves.
        const answer = await postContact(stack.origin, makeContactBody({ id: delivered }));
        assert.equal(answer.status, 200);
        assert.equal((await readMailsOf(stack, owed)).length, 0);
        assert.match(await stack.ops('deliveries', 'release'), /would be sent/);
      },
    ],
    [
      'sends what was owed once released, and nothing twice',
      async () => {
        await stack.ops('deliveries', 'release', '--yes');
        await expectDelivered(stack, [delivered, owed], FIRST_MAIL);
      },
    ],
  ];
}
