import { resolve } from 'node:path';
import type { Command } from 'commander';
import { restoreBackup } from '../restore/restore-backup.ts';
import { withSession, type Session } from '../cli/session.ts';
import { formatTime, print } from '../cli/terminal.ts';
import { printRowCounts } from './backup.ts';

async function restore(session: Session, file: string): Promise<void> {
  const { backupAt, rows } = await restoreBackup(session, resolve(file));
  session.logger.warn({ backupAt, rows }, 'A backup is restored; deliveries are held.');
  printRowCounts(rows);
  print(
    [
      `The backup of ${formatTime(backupAt)} UTC is restored. Later data is not in it.`,
      'Nothing is sent until you release it. What the site sent after the backup was made would be sent again.',
      '',
      'Next: 1. run the migrations (npm run migrate, in the stack: docker compose run --rm migrate)',
      '      2. start the site',
      '      3. `ops deliveries release` shows what would be sent, and with --yes releases it; it refuses',
      `         while the newest erasure log is not in ${session.config.privacy.erasuresDirectory}`,
    ].join('\n'),
  );
}

/** `restore` */
export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('restore a backup into an empty database; deliveries are held until they are released')
    .argument('<file>', 'a file made by `ops backup`, with its .sha256 beside it')
    .addHelpText('after', '\nExample:\n  ops restore .data/backups/site-20261121T030000000Z.dump')
    .action(withSession(restore));
}
