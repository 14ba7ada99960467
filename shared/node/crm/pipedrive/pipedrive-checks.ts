import * as v from 'valibot';
import { pass } from '../../monitoring/check.ts';
import { explainByStatus, runChecksInOrder, type StatusMeanings } from '../crm-checks.ts';
import type { CallPipedrive } from './pipedrive-api.ts';

const listSchema = v.object({ items: v.array(v.unknown()) });

const meanings: StatusMeanings = {
  401: { check: 'credentials', detail: 'It refuses the token; set a valid PIPEDRIVE_TOKEN' },
  402: { check: 'plan', detail: 'The company account is not open: the trial is over, or a payment is due' },
  403: { check: 'rights', detail: 'It forbids the call; let the token’s user see such records' },
  404: { check: 'address', detail: 'It doesn’t know the call; set the right PIPEDRIVE_BASE_URL' },
  410: { check: 'address', detail: 'Pipedrive has ended this version of its API; install a newer version of this site' },
  429: { check: 'limits', detail: 'There were too many calls; try again later' },
};

const explainFailure = explainByStatus({ crm: 'Pipedrive', setting: 'PIPEDRIVE_BASE_URL', meanings });

/** Checks address, token and rights by searching; see `CrmProvider.test`. */
export function testPipedrive(call: CallPipedrive, signal: AbortSignal) {
  const tryKinds = (kinds: readonly string[], detail: string) => async () => {
    for (const kind of kinds) {
      await call({ path: `/api/v2/${kind}/search?term=crm-test&limit=1`, signal }, listSchema);
    }

    return pass(detail);
  };
  const fields = 'Only fields that every account has are filled.';
  const token = 'The token is valid; persons may be read.';
  const rights = 'Organizations and leads may be read; the right to add shows with the first lead.';

  return runChecksInOrder(
    [
      { name: 'credentials', run: tryKinds(['persons'], token) },
      { name: 'rights', run: tryKinds(['organizations', 'leads'], rights) },
      { name: 'fields', run: () => pass(fields) },
    ],
    explainFailure,
  );
}
