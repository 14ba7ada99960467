import { readErasureFile } from '../../jobs/privacy/erasure-file.ts';
import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database.ts';
import { makeErasureKeys } from '../../shared/node/privacy/erasure-hash.ts';
import { listErasures } from '../../shared/node/privacy/erasure-store.ts';
import type { Check } from './finding.ts';

/** Whether everybody erased would be recognised in a restored backup. */
export const checkErasures = (
  database: Database,
  { linkSecrets, privacy }: Config,
): Check => ({
  name: 'erasures',
  look: async () => {
    const lists = await Promise.all([
      listErasures(database),
      // A list that can't be read is told of by the check of its folder.
      readErasureFile(privacy.erasuresDirectory).catch(() => []),
    ]);
    const keyById = new Map(lists.flat().map((erasure) => [erasure.subject_hash, erasure.key_id]));
    const known = new Set(makeErasureKeys(linkSecrets).map(({ id }) => id));
    const lost = [...keyById.values()].filter((id) => !known.has(id)).length;

    return lost === 0
      ? { check: 'erasures', status: 'ok', detail: `${keyById.size} on record.` }
      : {
          check: 'erasures',
          status: 'warn',
          detail: `The secret of ${lost} of ${keyById.size} is gone, a restored backup would bring them back: add the old one at the end of COOKIE_SECRET.`,
        };
  },
});
