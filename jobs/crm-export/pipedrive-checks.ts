import * as v from 'valibot';
import { PipedriveError, type CallPipedrive } from './pipedrive-api.ts';
import { runChecks, type ExplainFailure } from './run-checks.ts';

const listSchema = v.object({ items: v.array(v.unknown()) });

const explainFailure: ExplainFailure = (error) => {
  if (error.reason === 'pipedrive-malformed-answer') {
    return { check: 'address', detail: 'The answer is not Pipedrive’s; is PIPEDRIVE_BASE_URL right?' };
  }
  if (!(error instanceof PipedriveError)) return undefined;
  const { status, reason } = error;
  if (status === 401) {
    return { check: 'credentials', detail: 'It refuses the token (401); set a valid PIPEDRIVE_TOKEN.' };
  }
  if (status === 403) {
    return { check: 'rights', detail: `It forbids the call (${reason}); what may the token’s user see?` };
  }
  if (status === 404) {
    return { check: 'address', detail: 'It doesn’t know the call (404); is PIPEDRIVE_BASE_URL right?' };
  }
  if (status === 429) return { check: 'limits', detail: 'Too many calls for now (429); try again later.' };

  return { check: 'address', detail: `It answers with a fault (${reason}).` };
};

/** Tries address, token and rights by searching; see `CrmProvider.test`. */
export function testPipedrive(call: CallPipedrive, signal: AbortSignal) {
  const tryKinds = (kinds: readonly string[], detail: string) => async () => {
    for (const kind of kinds) {
      await call({ path: `/api/v2/${kind}/search?term=crm-test&limit=1`, signal }, listSchema);
    }

    return { isOk: true, detail };
  };
  const fields = 'Only fields that every account has are filled.';
  const rights = 'Organisations and leads may be read; the right to add shows with the first lead.';

  return runChecks(
    [
      { check: 'credentials', run: tryKinds(['persons'], 'The token is valid; persons may be read.') },
      { check: 'rights', run: tryKinds(['organizations', 'leads'], rights) },
      { check: 'fields', run: () => Promise.resolve({ isOk: true, detail: fields }) },
    ],
    explainFailure,
  );
}
