import * as v from 'valibot';
import { fail, pass } from '../../monitoring/check.ts';
import { MAX_LISTING_BYTES } from '../../outbound/outbound-client.ts';
import { explainByStatus, refuse, runChecksInOrder, type CrmCheckOutcome, type StatusMeanings } from '../crm-checks.ts';
import { readResponse } from '../read-response.ts';
import { HUBSPOT_VERSION, HubspotError, type CallHubspot } from './hubspot-api.ts';

const SCOPES = ['crm.objects.contacts.read', 'crm.objects.contacts.write'];

const scopesSchema = v.object({ scopes: v.array(v.string()) });
const propertiesSchema = v.object({ results: v.array(v.object({ name: v.string() })) });

const meanings: StatusMeanings = {
  401: { check: 'credentials', detail: 'HubSpot refuses HUBSPOT_TOKEN; copy the key again' },
  403: {
    check: 'scopes',
    detail: `The token may not do it; give the key ${SCOPES.join(' and ')}`,
  },
  404: { check: 'address', detail: 'It doesn’t know the call; set the right HUBSPOT_BASE_URL' },
  410: { check: 'address', detail: 'HubSpot has ended this version of its API; install a newer version of this site' },
  429: { check: 'limits', detail: 'The limit of calls is reached; try again later' },
  477: { check: 'limits', detail: 'HubSpot is moving the account to another data center; try again later' },
};

const explainFailure = explainByStatus({ crm: 'HubSpot', setting: 'HUBSPOT_BASE_URL', meanings });

/** The token's scopes; undefined when HubSpot doesn't list them for this kind of token. */
async function listScopes(token: string, call: CallHubspot): Promise<string[] | undefined> {
  const path = '/oauth/v2/private-apps/get/access-token-info';

  try {
    const response = await call({ method: 'POST', path, body: { tokenKey: token } });

    return readResponse('hubspot', response, scopesSchema).scopes;
  } catch (error) {
    if (error instanceof HubspotError && [400, 404].includes(error.status)) return undefined;
    throw error;
  }
}

function checkScopes(scopes: readonly string[] | undefined): CrmCheckOutcome {
  if (!scopes) return pass('Contacts can be read; HubSpot doesn’t say whether they can be written.');
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));

  return missing.length === 0
    ? pass(`The token has ${SCOPES.join(' and ')}.`)
    : refuse(`The token lacks ${missing.join(' and ')}; add it to the key’s scopes.`);
}

function checkFields(existing: readonly string[], mapped: readonly string[]): CrmCheckOutcome {
  const missing = mapped.filter((name) => !existing.includes(name));

  return missing.length === 0
    ? pass('All mapped properties of a contact exist.')
    : fail(`Contacts have no property ${missing.join(', ')}; create it in HubSpot.`);
}

/** Names of all properties a contact has. */
async function listContactProperties(call: CallHubspot): Promise<string[]> {
  const path = `/crm/properties/${HUBSPOT_VERSION}/contacts`;
  const response = await call({ method: 'GET', path, maxResponseBytes: MAX_LISTING_BYTES });

  return readResponse('hubspot', response, propertiesSchema).results.map(({ name }) => name);
}

/**
 * Checks address, token, scopes and mapped properties, without writing; see `CrmProvider.test`.
 * @param fields the properties of a contact that an export writes
 */
export function testHubspot(token: string, call: CallHubspot, fields: readonly string[]) {
  let existing: readonly string[] = [];
  const testCredentials = async () => {
    existing = await listContactProperties(call);

    return pass('HubSpot accepts HUBSPOT_TOKEN.');
  };

  return runChecksInOrder(
    [
      { name: 'credentials', run: testCredentials },
      { name: 'scopes', run: async () => checkScopes(await listScopes(token, call)) },
      { name: 'fields', run: () => checkFields(existing, fields) },
    ],
    explainFailure,
  );
}
