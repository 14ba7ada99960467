import assert from 'node:assert/strict';
import type { Check } from './container-checks.ts';
import { expectDelivered, postNew, postRepeat, readMailsOf } from './deliveries.ts';
import type { Stack } from './stack.ts';

/** Compose arguments that run `tar` on the volumes, as docs/operations describes. */
const TAR = ['run', '--rm', '--no-deps', '-T', '--entrypoint', 'tar', 'ops'];

interface Backup {
  readonly file: string;
  readonly rows: Readonly<Record<string, number>>;
}

/** The volumes that the test deletes. It keeps those with mails and exports, which it checks. */
const LOST = ['postgres', 'redis', 'backups', 'erasures'];

/** Checks that a site without its volumes can be restored from the copies that the handbook recommends. */
export function checkRestore(stack: Stack): Check[] {
  let delivered = '';
  let unsent = '';
  let backup: Backup = { file: '', rows: {} };
  const exportVolume = (volume: string) =>
    stack.pipe(`> ${volume}.tar`, ...TAR, '-c', '-C', `/data/${volume}`, '.');
  const importVolume = (volume: string) =>
    stack.pipe(`< ${volume}.tar`, ...TAR, '-x', '-C', `/data/${volume}`);

  return [
    [
      'backs up sent and unsent deliveries, and copies the backup off the host',
      async () => {
        delivered = await postNew(stack);
        await expectDelivered(stack, [delivered]);
        await stack.compose('stop', 'worker');
        unsent = await postNew(stack);
        backup = JSON.parse(await stack.ops('backup', '--json')) as Backup;
        assert.ok((backup.rows['contact_submissions'] ?? 0) >= 2);
        for (const volume of ['backups', 'erasures']) await exportVolume(volume);
      },
    ],
    [
      'restores into a stack without data, and sends nothing',
      async () => {
        await stack.compose('down');
        for (const volume of LOST) {
          await stack.docker('volume', 'rm', `${stack.project}-${volume}`);
        }
        for (const volume of ['backups', 'erasures']) await importVolume(volume);
        await stack.compose('run', '--rm', '-T', 'migrate');
        await stack.ops('restore', backup.file);
        await stack.compose('run', '--rm', '-T', 'migrate');
        await stack.compose('up', '-d');
        await stack.waitUntilReady(stack.origin);
        await stack.waitUntilHealthy('worker');
        const [count] = await stack.query<{ readonly count: number }>(
          'select count(*) from contact_submissions',
        );
        assert.equal(count?.count, backup.rows['contact_submissions']);
        await postRepeat(stack, delivered);
        assert.equal((await readMailsOf(stack, unsent)).length, 0);
        assert.match(await stack.ops('deliveries', 'release'), /would be sent/);
      },
    ],
    [
      'sends the unsent deliveries after the release, and none twice',
      async () => {
        await stack.ops('deliveries', 'release', '--yes');
        await expectDelivered(stack, [delivered, unsent]);
      },
    ],
  ];
}
