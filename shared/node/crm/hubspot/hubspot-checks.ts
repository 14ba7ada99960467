import * as v from 'valibot';
import type { CrmFinding } from '../crm-provider.ts';
import type { CallHubspot } from './hubspot-api.ts';
import { listContactProperties } from './hubspot-contacts.ts';
import { HubspotError } from './hubspot-error.ts';
import { hubspotContactFields } from './hubspot-fields.ts';
import { readResponse } from '../read-response.ts';
import { fail, pass, refuse, runChecks, type CheckResult, type ExplainFailure } from '../run-checks.ts';

const SCOPES = ['crm.objects.contacts.read', 'crm.objects.contacts.write'];

const scopesSchema = v.object({ scopes: v.array(v.string()) });

/** What a status says of the settings, and what to do about it. */
const meanings: Readonly<Record<number, Pick<CrmFinding, 'check' | 'detail'>>> = {
  401: { check: 'credentials', detail: 'HubSpot refuses HUBSPOT_TOKEN; copy the app’s token again' },
  403: {
    check: 'scopes',
    detail: `The token may not do it; give the app ${SCOPES.join(' and ')}`,
  },
  429: { check: 'limits', detail: 'The limit of calls is reached; try again later' },
};

/** What the token may do; undefined when HubSpot doesn't tell it of this kind of token. */
async function listScopes(token: string, call: CallHubspot): Promise<string[] | undefined> {
  const path = '/oauth/v2/private-apps/get/access-token-info';

  try {
    const answer = await call({ method: 'POST', path, body: { tokenKey: token } });

    return readResponse('hubspot', answer, scopesSchema).scopes;
  } catch (error) {
    if (error instanceof HubspotError && [400, 404].includes(error.status)) return undefined;
    throw error;
  }
}

function checkScopes(scopes: readonly string[] | undefined): CheckResult {
  if (!scopes) return pass('Contacts can be read; HubSpot doesn’t tell whether they can be written.');
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));

  return missing.length === 0
    ? pass(`The token has ${SCOPES.join(' and ')}.`)
    : refuse(`The token lacks ${missing.join(' and ')}; add it to the app’s scopes.`);
}

function checkFields(names: readonly string[]): CheckResult {
  const missing = hubspotContactFields.filter(({ to }) => !names.includes(to)).map(({ to }) => to);

  return missing.length === 0
    ? pass('All mapped properties of a contact exist.')
    : fail(`Contacts have no property ${missing.join(', ')}; make it in HubSpot.`);
}

const explainFailure: ExplainFailure = (error) => {
  if (error.reason === 'hubspot-malformed-answer') {
    const detail = 'What answers is not HubSpot’s API; is HUBSPOT_BASE_URL right?';

    return { check: 'address', detail };
  }
  if (!(error instanceof HubspotError)) return undefined;
  const answer = [error.status, error.category, error.errorCode].filter(Boolean).join(' ');
  const fault = { check: 'address', detail: 'It answers with a fault; set the right HUBSPOT_BASE_URL' };
  const { check, detail } = meanings[error.status] ?? fault;

  return { check, detail: `${detail} (${answer}).` };
};

/** Tries address, token, scopes and mapped properties, without writing; see `CrmProvider.test`. */
export function testHubspot(token: string, call: CallHubspot) {
  let names: readonly string[] = [];
  const testCredentials = async () => {
    names = await listContactProperties(call);

    return pass('HubSpot knows HUBSPOT_TOKEN.');
  };

  return runChecks(
    [
      { check: 'credentials', run: testCredentials },
      { check: 'scopes', run: async () => checkScopes(await listScopes(token, call)) },
      { check: 'fields', run: () => checkFields(names) },
    ],
    explainFailure,
  );
}
