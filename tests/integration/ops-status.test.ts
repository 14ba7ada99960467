import { expect, test } from 'vitest';
import { Hour, Minute } from '../../shared/time.ts';
import { ago } from '../support/ago.ts';
import { connectAsWorker, setUpOps, storeDelivery, storeSubmission } from '../support/ops-fixture.ts';

test('the status shows unfinished deliveries and the results of the site checks', async () => {
  const { ops, settings, database } = await setUpOps({ BACKUP_DIR: '/etc/hostname/backups' });
  await connectAsWorker(settings['DATABASE_URL'] ?? '');
  const late = await storeSubmission(database, { received_at: ago(25 * Hour) });
  await storeDelivery(database, late, { due_at: ago(12 * Minute) });
  await storeDelivery(database, late, { due_at: ago(24 * Hour), stage: 'reminder', state: 'dead' });
  await storeSubmission(database, { quarantined_at: new Date() });

  const lines = (await ops('status')).output.split('\n').map((line) => line.replace(/ +/g, ' '));
  expect(lines.length).toBeLessThan(28);
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ version \d+\.\d+\.\d+ on Node\.js \d+/),
      '! requests 1 wait for an answer, 1 of them too long, 1 held as possible spam',
      ' deliveries follow-up 1',
      ' worker A worker is connected.',
      '! oldest due delivery A delivery is 12 minutes late, and no worker attempts it.',
      '! dead deliveries 1 failed permanently.',
      '! backup There is no verified backup in /etc/hostname/backups, or none that can be read.',
      ' redis Not used: jobs run on PostgreSQL.',
    ]),
  );
});
