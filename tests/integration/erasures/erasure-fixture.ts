import { join } from 'node:path';
import { beforeAll, beforeEach } from 'vitest';
import { createDatabase, type Database } from '../../../shared/node/database/database.ts';
import { readErasureLogFile, type ErasureSettings } from '../../../shared/node/erasure/erasure-log.ts';
import { makeErasureKeys, type Erasure } from '../../../shared/node/erasure/erasure-store.ts';
import { Hour } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { createMigratedDatabase } from '../../support/database.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

/** The database that a file's tests share. */
export let database: Database;

const tables = ['contact_submissions', 'newsletter_subscriptions', 'erasures', 'erasure_list', 'delivery_hold'];

/** Sets up a database for a file's tests. Its tables are emptied before each test. */
export function setUpDatabase(): void {
  beforeAll(async () => {
    database = createDatabase(await createMigratedDatabase(), 'test');

    return () => database.destroy();
  });

  beforeEach(async () => {
    for (const table of ['deliveries', ...tables]) await database(table).delete();
  });
}

type ErasureKey = ReturnType<typeof makeErasureKeys>[number];

export const [secret, oldSecret] = ['n'.repeat(32), 'o'.repeat(32)];
const keys = makeErasureKeys([secret, oldSecret]);
export const key: ErasureKey | undefined = keys[0];
export const oldKey: ErasureKey | undefined = keys[1];

/** A folder for an erasure log, which doesn't exist yet, and its settings. It is removed when the test ends. */
export async function setUp() {
  const folder = makeTemporaryFolder();
  const directory = join(folder, 'log');
  const settings = { linkSecrets: [secret], privacy: { erasuresDirectory: directory } } as unknown as ErasureSettings;
  const file = join(directory, 'erasures.ndjson');

  return { settings, directory, file, readFiled: () => readErasureLogFile(directory) };
}

/** An erasure an hour ago, recorded with the first secret. */
export const makeErasure = (
  subject: string,
  changes: Partial<Erasure> = {},
  by: ErasureKey | undefined = key,
): Erasure => ({
  subject_hash: by?.hash(changes.subject_kind ?? 'email', subject) ?? '',
  subject_kind: 'email',
  key_id: by?.id ?? '',
  erased_at: ago(Hour),
  ...changes,
});

export const storeSubscription = async (email: string, values: object = {}) => {
  await database('newsletter_subscriptions').insert({ email, ...values });
};
export const readEmail = async (id: string) => (await database('contact_submissions').where({ id }).first())?.email;
export const listEmails = async () => (await database('newsletter_subscriptions')).map(({ email }) => email);
