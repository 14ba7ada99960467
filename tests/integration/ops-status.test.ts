import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatBackupName } from '../../shared/node/files/backup-files.ts';
import { recordCopy, recordRehearsal } from '../../shared/node/files/backup-records.ts';
import { Hour, Minute } from '../../shared/time.ts';
import { ago } from '../support/ago.ts';
import { connectAsWorker, setUpOps, storeDelivery, storeSubmission } from '../support/ops-fixture.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** The lines of the output, without runs of spaces. */
const listLines = (output: string) => output.split('\n').map((line) => line.replace(/ +/g, ' '));

test('the status of a site where nothing is owed or late fits one screen, and nothing needs attention but its missing worker', async () => {
  const { ops } = await setUpOps({ BACKUP_DIR: '/nonexistent/backups' });
  const { exitCode, output } = await ops('status');

  expect(exitCode).toBe(0);
  const lines = listLines(output);
  expect(lines.length).toBeLessThan(24);
  expect(Math.max(...output.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(lines).toEqual(
    expect.arrayContaining([
      'Owed',
      ' requests 0 wait for an answer, 0 held as possible spam',
      ' deliveries none',
      '! worker none is connected: nothing is sent',
      'Late',
      ' answers none',
      ' last backup none are made here',
      ' certificate unknown here, or no HTTPS',
      expect.stringMatching(/^ site \d+\.\d+\.\d+ on Node\.js \d+/),
      expect.stringMatching(/^ servers PostgreSQL \d+.*, no Redis$/),
    ]),
  );
});

test('backups that can’t be read need attention, and count as made here', async () => {
  const { ops } = await setUpOps({ BACKUP_DIR: '/etc/hostname/backups' });

  expect(listLines((await ops('status')).output)).toContain('! last backup none that can be read: ops doctor');
});

test('a Redis that does not answer needs attention', async () => {
  const { ops } = await setUpOps({ REDIS_URL: 'redis://127.0.0.1:1' });

  expect(listLines((await ops('status')).output)).toContainEqual(
    expect.stringMatching(/^! servers PostgreSQL \d+.*, no Redis at REDIS_URL$/),
  );
});

test('the status says what is owed, late and old, as a screen and as JSON', async () => {
  const backups = join(makeTemporaryFolder(), 'backups');
  await mkdir(backups);
  const newest = join(backups, formatBackupName(ago(30 * Hour)));
  await writeFile(newest, 'dump');
  await writeFile(`${newest}.sha256`, 'hash');
  await recordCopy(backups, ago(25 * Hour));
  await recordRehearsal(backups, { backup: 'site-1.dump', error: 'It differs.' });
  const { ops, settings, database } = await setUpOps({ BACKUP_DIR: backups });
  await connectAsWorker(settings['DATABASE_URL'] ?? '');
  const late = await storeSubmission(database, { received_at: ago(25 * Hour) });
  await storeDelivery(database, late, { due_at: ago(12 * Minute) });
  await storeDelivery(database, late, { due_at: ago(24 * Hour), stage: 'reminder', state: 'dead' });
  await storeSubmission(database, { quarantined_at: new Date() });

  const lines = listLines((await ops('status')).output);
  expect(lines).toEqual(
    expect.arrayContaining([
      ' requests 1 wait for an answer, 1 held as possible spam',
      ' deliveries follow-up 1',
      ' worker connected',
      '! answers 1: ops submissions list --overdue',
      '! deliveries follow-up by 12 minutes: ops deliveries list --overdue',
      '! dead 1: ops deliveries list --state dead',
      expect.stringMatching(/^! last backup 20\d\d-\d\d-\d\d \d\d:\d\d UTC, 30 hours ago$/),
      expect.stringMatching(/^ last copy 20\d\d-\d\d-\d\d \d\d:\d\d UTC, 25 hours ago$/),
      expect.stringMatching(/^! rehearsal failed 20\d\d-\d\d-\d\d \d\d:\d\d UTC, 0 minutes ago$/),
    ]),
  );

  const status = JSON.parse((await ops('status', '--json')).output) as { alerts: string[] };
  expect(status).toMatchObject({
    requests: { open: 1, overdue: 1, held: 1 },
    deliveries: { owed: { 'follow-up': 1 }, dead: 1, without_provider: 0, paused: [], on_hold: false },
    workers: 1,
    backup: { made_here: true, newest_at: expect.stringMatching(/^20/) },
    backup_copy: { succeeded_at: expect.stringMatching(/^20/) },
    rehearsal: { backup: 'site-1.dump', error: 'It differs.', succeeded_at: null },
    certificate: null,
    image: null,
  });
  expect(status).toHaveProperty('deliveries.late_seconds.follow-up', expect.closeTo(12 * 60, -2));
  expect(status.alerts).toContain('backup-late');
});
