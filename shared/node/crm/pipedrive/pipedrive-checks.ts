import * as v from 'valibot';
import type { CrmFinding } from '../crm-provider.ts';
import { PipedriveError, type CallPipedrive } from './pipedrive-api.ts';
import { pass, runChecks, type ExplainFailure } from '../run-checks.ts';

const listSchema = v.object({ items: v.array(v.unknown()) });

/** What a status says of the settings, and what to do about it. */
const meanings: Readonly<Record<number, Pick<CrmFinding, 'check' | 'detail'>>> = {
  401: { check: 'credentials', detail: 'It refuses the token; set a valid PIPEDRIVE_TOKEN' },
  403: { check: 'rights', detail: 'It forbids the call; let the token’s user see such records' },
  404: { check: 'address', detail: 'It doesn’t know the call; set the right PIPEDRIVE_BASE_URL' },
  429: { check: 'limits', detail: 'There were too many calls; try again later' },
};

const explainFailure: ExplainFailure = (error) => {
  if (error.reason === 'pipedrive-malformed-answer') {
    return { check: 'address', detail: 'The answer is not Pipedrive’s; is PIPEDRIVE_BASE_URL right?' };
  }
  if (!(error instanceof PipedriveError)) return undefined;
  const fault = { check: 'address', detail: 'It answers with a fault' };
  const { check, detail } = meanings[error.status] ?? fault;

  return { check, detail: `${detail} (${error.reason}).` };
};

/** Tries address, token and rights by searching; see `CrmProvider.test`. */
export function testPipedrive(call: CallPipedrive, signal: AbortSignal) {
  const tryKinds = (kinds: readonly string[], detail: string) => async () => {
    for (const kind of kinds) {
      await call({ path: `/api/v2/${kind}/search?term=crm-test&limit=1`, signal }, listSchema);
    }

    return pass(detail);
  };
  const fields = 'Only fields that every account has are filled.';
  const token = 'The token is valid; persons may be read.';
  const rights = 'Organisations and leads may be read; the right to add shows with the first lead.';

  return runChecks(
    [
      { check: 'credentials', run: tryKinds(['persons'], token) },
      { check: 'rights', run: tryKinds(['organizations', 'leads'], rights) },
      { check: 'fields', run: () => pass(fields) },
    ],
    explainFailure,
  );
}
