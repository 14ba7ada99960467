import * as v from 'valibot';
import { pass } from '../../monitoring/check.ts';
import {
  explainByStatus,
  reportUntil,
  runChecksInOrder,
  type CrmCheckOutcome,
  type StatusMeanings,
} from '../crm-checks.ts';
import type { CallTwenty } from './twenty-api.ts';

const meanings: StatusMeanings = {
  401: { check: 'credentials', detail: 'It refuses TWENTY_API_KEY: wrong, expired or revoked' },
  402: { check: 'plan', detail: 'The workspace’s plan or quota doesn’t allow it' },
  403: {
    check: 'rights',
    detail: 'It forbids the call; give the key a role that may see and edit people, companies and notes',
  },
  404: { check: 'address', detail: 'It doesn’t know the call; set the right TWENTY_URL' },
  429: { check: 'limits', detail: 'There were too many calls; try again later' },
};

const explainFailure = explainByStatus({ crm: 'Twenty', setting: 'TWENTY_URL', meanings });

/** Keys are JSON Web Tokens (RFC 7519); `exp` is in seconds. */
const claimsSchema = v.pipe(v.string(), v.parseJson(), v.object({ exp: v.number() }));

/** The day on which the key expires; undefined when it doesn't say. */
function readKeyEnd(apiKey: string): string | undefined {
  const claims = Buffer.from(apiKey.split('.')[1] ?? '', 'base64url').toString();
  const result = v.safeParse(claimsSchema, claims);
  const end = new Date(result.success ? result.output.exp * 1000 : Number.NaN);

  return Number.isNaN(end.getTime()) ? undefined : end.toISOString().slice(0, 10);
}

function checkKeyEnd(apiKey: string): CrmCheckOutcome {
  const end = readKeyEnd(apiKey);

  return end === undefined
    ? pass('The key doesn’t say when it expires.')
    : reportUntil(end, `The key expires on ${end}; set a new one before.`);
}

/** Checks address, key and rights by listing, and reports when the key expires; see `CrmProvider.test`. */
export function testTwenty(apiKey: string, call: CallTwenty, signal: AbortSignal) {
  const tryObjects = (names: readonly string[], detail: string) => async () => {
    for (const name of names) {
      const schema = v.object({ [name]: v.array(v.unknown()) });
      await call({ path: `${name}?limit=1&depth=0`, signal }, schema);
    }

    return pass(detail);
  };
  const rights = 'Companies and notes may be read; the right to add shows with the first lead.';

  return runChecksInOrder(
    [
      // Not by its description of the API, which it shows to anybody.
      { name: 'credentials', run: tryObjects(['people'], 'The key is valid; people may be read.') },
      { name: 'rights', run: tryObjects(['companies', 'notes', 'noteTargets'], rights) },
      { name: 'fields', run: () => pass('Only fields that every workspace has are filled.') },
      { name: 'key', run: () => checkKeyEnd(apiKey) },
    ],
    explainFailure,
  );
}
