import type { CrmSettingsOf } from '../../../shared/node/config/crm-settings.ts';
import { toDeliveryError, type DeliveryError } from '../../deliveries/delivery-error.ts';
import { describeCallFailure } from '../../outbound/describe-call-failure.ts';
import type { CrmFinding } from '../crm-provider.ts';
import type { CallSalesforce } from './salesforce-api.ts';
import { SalesforceError } from './salesforce-error.ts';
import { salesforceChoices, salesforceLeadFields } from './salesforce-fields.ts';
import { describeLead, type LeadDescription, type LeadField } from './salesforce-leads.ts';

/** Characters of a submission's id. */
const KEY_LENGTH = 36;

const pass = (check: string, detail: string): CrmFinding => ({ check, state: 'ok', detail });
const fail = (check: string, detail: string): CrmFinding => ({ check, state: 'fail', detail });

const reached = pass('address', 'Salesforce answers.');
const known = pass('credentials', 'Salesforce takes the consumer key and secret.');

/** What to do about a refused login, by OAuth's codes. */
const loginAdvice: Readonly<Record<string, string>> = {
  invalid_client_id: 'it doesn’t know SALESFORCE_CLIENT_ID; new apps are known after some minutes.',
  invalid_client: 'SALESFORCE_CLIENT_SECRET is not that of the app.',
  invalid_grant: 'the app has no user to run as, or SALESFORCE_LOGIN_URL is not the My Domain address.',
  unsupported_grant_type: 'switch on the app’s client credentials flow.',
};

function explainLogin({ status, errorCode }: SalesforceError): CrmFinding {
  const advice = loginAdvice[errorCode ?? ''] ?? 'see the app’s settings and its user in Salesforce.';

  return fail('credentials', `Salesforce refuses the login (${status} ${errorCode}): ${advice}`);
}

function explain(error: DeliveryError): CrmFinding[] {
  if (!(error instanceof SalesforceError)) {
    const isForeign = error.reason.endsWith('-malformed-answer');
    const foreign = 'What answers is not Salesforce; is SALESFORCE_LOGIN_URL right?';

    return [fail('address', isForeign ? foreign : describeCallFailure(error))];
  }
  const { status, errorCode } = error;
  const answer = [status, errorCode].filter(Boolean).join(' ');
  if (error.reason.startsWith('salesforce-login-')) {
    return error.verdict === 'paused' && errorCode !== undefined
      ? [reached, explainLogin(error)]
      : [fail('address', `It answers a login with ${answer}; is SALESFORCE_LOGIN_URL right?`)];
  }
  if (errorCode === 'REQUEST_LIMIT_EXCEEDED') {
    return [reached, known, fail('limits', `The calls of 24 hours are used up (${answer}).`)];
  }

  if (status >= 500) return [fail('address', `Salesforce is out of order (${answer}); try again later.`)];

  return [
    reached,
    known,
    fail('rights', `The app’s user may not see leads (${answer}); give it rights to Lead and the API.`),
  ];
}

function checkRights({ createable, updateable }: LeadDescription): CrmFinding {
  const missing = [...(createable ? [] : ['create']), ...(updateable ? [] : ['edit'])];

  return missing.length === 0
    ? pass('rights', 'The app’s user may create and edit leads.')
    : fail('rights', `The app’s user may not ${missing.join(' or ')} leads; give it the right.`);
}

function checkFields({ fields }: LeadDescription): CrmFinding {
  const writable = fields.filter((field) => field.createable && field.updateable);
  const missing = salesforceLeadFields
    .map(({ to }) => to)
    .filter((to) => !writable.some(({ name }) => name === to));

  return missing.length === 0
    ? pass('fields', 'All mapped fields of Lead can be written.')
    : fail('fields', `The app’s user can’t write ${missing.join(', ')}; let it edit these fields of Lead.`);
}

function listUnknownChoices({ name, restrictedPicklist, picklistValues }: LeadField): string[] {
  if (!restrictedPicklist) return [];
  const taken = picklistValues.filter(({ active }) => active).map(({ value }) => value);

  return (salesforceChoices[name] ?? []).filter((choice) => !taken.includes(choice));
}

function checkChoices({ fields }: LeadDescription): CrmFinding {
  const unknown = fields
    .map((field) => ({ name: field.name, choices: listUnknownChoices(field) }))
    .filter(({ choices }) => choices.length > 0)
    .map(({ name, choices }) => `${name} doesn’t take ${choices.join(', ')}`);

  return unknown.length === 0
    ? pass('choices', 'The picklists take what is sent.')
    : fail('choices', `${unknown.join('; ')}: add these values or lift the restriction.`);
}

function checkKey({ fields }: LeadDescription, name: string): CrmFinding {
  const field = fields.find((candidate) => candidate.name === name);
  if (!field) {
    return fail(
      'external id',
      `Lead has no field ${name}, or the app’s user can’t see it: make it as Text(${KEY_LENGTH}), External ID, Unique.`,
    );
  }
  const faults = [
    ...(field.externalId ? [] : ['is not marked External ID']),
    ...(field.unique ? [] : ['is not marked Unique']),
    ...(field.length >= KEY_LENGTH ? [] : [`is shorter than ${KEY_LENGTH} characters`]),
    ...(field.createable ? [] : ['can’t be written by the app’s user']),
  ];

  return faults.length === 0
    ? pass('external id', `${name} is a unique external id.`)
    : fail('external id', `${name} ${faults.join(' and ')}; change it in Salesforce.`);
}

/** Tries login, rights, fields and the key field, without writing; see `CrmProvider.test`. */
export async function checkSalesforce(
  { externalIdField }: CrmSettingsOf<'salesforce'>,
  call: CallSalesforce,
  signal: AbortSignal,
): Promise<CrmFinding[]> {
  try {
    const lead = await describeLead(call, signal);

    return [
      reached,
      known,
      checkRights(lead),
      checkFields(lead),
      checkChoices(lead),
      checkKey(lead, externalIdField),
    ];
  } catch (error) {
    return explain(toDeliveryError(error));
  }
}
