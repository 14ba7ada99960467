import * as v from 'valibot';
import { toDeliveryError, type DeliveryError } from '../../deliveries/delivery-error.ts';
import { describeCallFailure } from '../../outbound/describe-call-failure.ts';
import type { CrmFinding } from '../crm-provider.ts';
import type { CallHubspot } from './hubspot-api.ts';
import { listContactProperties } from './hubspot-contacts.ts';
import { HubspotError } from './hubspot-error.ts';
import { hubspotContactFields } from './hubspot-fields.ts';
import { readAnswer } from '../read-answer.ts';

const SCOPES = ['crm.objects.contacts.read', 'crm.objects.contacts.write'];

const scopesSchema = v.object({ scopes: v.array(v.string()) });

const pass = (check: string, detail: string): CrmFinding => ({ check, state: 'ok', detail });
const fail = (check: string, detail: string): CrmFinding => ({ check, state: 'fail', detail });

const reached = pass('address', 'HubSpot’s API answers.');
const known = pass('credentials', 'HubSpot knows HUBSPOT_TOKEN.');

/** What the token may do; undefined when HubSpot doesn't tell it of this kind of token. */
async function listScopes(token: string, call: CallHubspot): Promise<string[] | undefined> {
  const path = '/oauth/v2/private-apps/get/access-token-info';

  try {
    const answer = await call({ method: 'POST', path, body: { tokenKey: token } });

    return readAnswer('hubspot', answer, scopesSchema).scopes;
  } catch (error) {
    if (error instanceof HubspotError && [400, 404].includes(error.status)) return undefined;
    throw error;
  }
}

function checkScopes(scopes: readonly string[] | undefined): CrmFinding {
  if (!scopes) {
    return pass('scopes', 'Contacts can be read; HubSpot doesn’t tell whether they can be written.');
  }
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));

  return missing.length === 0
    ? pass('scopes', `The token has ${SCOPES.join(' and ')}.`)
    : fail('scopes', `The token lacks ${missing.join(' and ')}; add it to the app’s scopes.`);
}

function checkFields(names: readonly string[]): CrmFinding {
  const missing = hubspotContactFields.filter(({ to }) => !names.includes(to)).map(({ to }) => to);

  return missing.length === 0
    ? pass('fields', 'All mapped properties of a contact exist.')
    : fail('fields', `Contacts have no property ${missing.join(', ')}; make it in HubSpot.`);
}

function explain(error: DeliveryError): CrmFinding[] {
  if (!(error instanceof HubspotError)) {
    const isForeign = error.reason === 'hubspot-malformed-answer';
    const foreign = 'What answers is not HubSpot’s API; is HUBSPOT_BASE_URL right?';

    return [fail('address', isForeign ? foreign : describeCallFailure(error))];
  }
  const answer = [error.status, error.category, error.errorCode].filter(Boolean).join(' ');
  switch (error.status) {
    case 401:
      return [
        reached,
        fail('credentials', `HubSpot refuses HUBSPOT_TOKEN (${answer}); copy the app’s token again.`),
      ];
    case 403:
      return [
        reached,
        known,
        fail('scopes', `The token may not do it (${answer}); give the app ${SCOPES.join(' and ')}.`),
      ];
    case 429:
      return [reached, fail('limits', `The limit of calls is reached (${answer}); try again later.`)];
    default:
      return [fail('address', `It answers with ${answer}; is HUBSPOT_BASE_URL right?`)];
  }
}

/** Tries address, token, scopes and mapped properties, without writing; see `CrmProvider.test`. */
export async function checkHubspot(token: string, call: CallHubspot): Promise<CrmFinding[]> {
  try {
    const scopes = checkScopes(await listScopes(token, call));
    // Without its scopes the next call would only be refused.
    if (scopes.state === 'fail') return [reached, known, scopes];

    return [reached, known, scopes, checkFields(await listContactProperties(call))];
  } catch (error) {
    return explain(toDeliveryError(error));
  }
}
