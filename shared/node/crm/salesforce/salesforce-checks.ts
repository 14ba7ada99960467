import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { fail, pass, refuse, runChecks, type CheckResult, type ExplainFailure } from '../run-checks.ts';
import type { CallSalesforce } from './salesforce-api.ts';
import { SalesforceError } from './salesforce-error.ts';
import { salesforceChoices, salesforceLeadFields } from './salesforce-fields.ts';
import { describeLead, type LeadDescription, type LeadField } from './salesforce-leads.ts';

/** Characters of a submission's id. */
const KEY_LENGTH = 36;

/** What to do about a refused login, by OAuth's codes. */
const loginAdvice: Readonly<Record<string, string>> = {
  invalid_client_id: 'it doesn’t know SALESFORCE_CLIENT_ID; new apps are known after some minutes.',
  invalid_client: 'SALESFORCE_CLIENT_SECRET is not that of the app.',
  invalid_grant: 'the app has no user to run as, or SALESFORCE_LOGIN_URL is not the My Domain address.',
  unsupported_grant_type: 'switch on the app’s client credentials flow.',
};

const explainFailure: ExplainFailure = (error) => {
  if (error.reason.endsWith('-malformed-answer')) {
    return { check: 'address', detail: 'What answers is not Salesforce; is SALESFORCE_LOGIN_URL right?' };
  }
  if (!(error instanceof SalesforceError)) return undefined;
  const { status, errorCode, reason, verdict } = error;
  const answer = [status, errorCode].filter(Boolean).join(' ');
  if (reason.startsWith('salesforce-login-')) {
    if (verdict !== 'paused' || errorCode === undefined) {
      const detail = `It answers a login with ${answer}; is SALESFORCE_LOGIN_URL right?`;

      return { check: 'address', detail };
    }
    const advice = loginAdvice[errorCode] ?? 'see the app’s settings and its user in Salesforce.';

    return { check: 'credentials', detail: `Salesforce refuses the login (${answer}): ${advice}` };
  }
  if (errorCode === 'REQUEST_LIMIT_EXCEEDED') {
    return { check: 'limits', detail: `The calls of 24 hours are used up (${answer}).` };
  }
  if (status >= 500) {
    return { check: 'address', detail: `Salesforce is out of order (${answer}); try again later.` };
  }

  return {
    check: 'rights',
    detail: `The app’s user may not see leads (${answer}); give it rights to Lead and the API.`,
  };
};

function checkRights({ createable, updateable }: LeadDescription): CheckResult {
  const missing = [...(createable ? [] : ['create']), ...(updateable ? [] : ['edit'])];

  return missing.length === 0
    ? pass('The app’s user may create and edit leads.')
    : refuse(`The app’s user may not ${missing.join(' or ')} leads; give it the right.`);
}

function checkFields({ fields }: LeadDescription): CheckResult {
  const writable = fields.filter((field) => field.createable && field.updateable);
  const missing = salesforceLeadFields
    .map(({ to }) => to)
    .filter((to) => !writable.some(({ name }) => name === to));

  return missing.length === 0
    ? pass('All mapped fields of Lead can be written.')
    : fail(`The app’s user can’t write ${missing.join(', ')}; let it edit these fields of Lead.`);
}

function listUnknownChoices({ name, restrictedPicklist, picklistValues }: LeadField): string[] {
  if (!restrictedPicklist) return [];
  const taken = picklistValues.filter(({ active }) => active).map(({ value }) => value);

  return (salesforceChoices[name] ?? []).filter((choice) => !taken.includes(choice));
}

function checkChoices({ fields }: LeadDescription): CheckResult {
  const unknown = fields
    .map((field) => ({ name: field.name, choices: listUnknownChoices(field) }))
    .filter(({ choices }) => choices.length > 0)
    .map(({ name, choices }) => `${name} doesn’t take ${choices.join(', ')}`);

  return unknown.length === 0
    ? pass('The picklists take what is sent.')
    : fail(`${unknown.join('; ')}: add these values or lift the restriction.`);
}

function checkKey({ fields }: LeadDescription, name: string): CheckResult {
  const field = fields.find((candidate) => candidate.name === name);
  if (!field) {
    return fail(
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
    ? pass(`${name} is a unique external id.`)
    : fail(`${name} ${faults.join(' and ')}; change it in Salesforce.`);
}

/** Tries login, rights, fields and the key field, without writing; see `CrmProvider.test`. */
export function testSalesforce(
  { externalIdField }: CrmSettingsOf<'salesforce'>,
  call: CallSalesforce,
  signal: AbortSignal,
) {
  let lead: LeadDescription = { createable: false, updateable: false, fields: [] };
  const testCredentials = async () => {
    lead = await describeLead(call, signal);

    return pass('Salesforce takes the consumer key and secret.');
  };

  return runChecks(
    [
      { check: 'credentials', run: testCredentials },
      { check: 'rights', run: () => checkRights(lead) },
      { check: 'fields', run: () => checkFields(lead) },
      { check: 'choices', run: () => checkChoices(lead) },
      { check: 'external id', run: () => checkKey(lead, externalIdField) },
    ],
    explainFailure,
  );
}
