import { join } from 'node:path';
import { readErasureLogFile, type ErasureSettings } from '../../../shared/node/erasure/erasure-log.ts';
import { makeErasureKeys, type Erasure } from '../../../shared/node/erasure/erasure-store.ts';
import { Hour } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { database } from '../delivery-store/fixture.ts';

type ErasureKey = ReturnType<typeof makeErasureKeys>[number];

export const [secret, oldSecret] = ['n'.repeat(32), 'o'.repeat(32)];
const keys = makeErasureKeys([secret, oldSecret]);
export const key: ErasureKey | undefined = keys[0];
export const oldKey: ErasureKey | undefined = keys[1];

/** The settings for an erasure log whose folder doesn't exist yet. Its parent folder is removed when the test ends. */
export async function setUp() {
  const directory = join(makeTemporaryFolder(), 'log');
  const settings = { linkSecrets: [secret], privacy: { erasuresDirectory: directory } } as unknown as ErasureSettings;
  const file = join(directory, 'erasures.ndjson');

  return { settings, directory, file, readFiled: () => readErasureLogFile(directory) };
}

/** An erasure from an hour ago, hashed with the first secret by default. */
export const makeErasure = (subject: string, changes: Partial<Erasure> = {}, by: ErasureKey | undefined = key): Erasure => ({
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
