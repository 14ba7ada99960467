import * as v from 'valibot';
import { fail, pass } from '../monitoring/check.ts';
import { CrmError, type CrmConnection, readResponse } from './crm-api.ts';
import { explainByStatus, refuse, type CrmCheck, type CrmCheckOutcome, type ExplainFailure } from './crm-checks.ts';

/** First part of the reason for a failed login. */
export const LOGIN = 'salesforce-login';

const fieldSchema = v.object({
  name: v.string(),
  length: v.number(),
  createable: v.boolean(),
  updateable: v.boolean(),
  externalId: v.boolean(),
  unique: v.boolean(),
});
/** What the app's user can do with leads and their fields. */
const descriptionSchema = v.object({ createable: v.boolean(), updateable: v.boolean(), fields: v.array(fieldSchema) });
type LeadDescription = v.InferOutput<typeof descriptionSchema>;

function checkRights({ createable, updateable }: LeadDescription): CrmCheckOutcome {
  const missing = [...(createable ? [] : ['create']), ...(updateable ? [] : ['edit'])].join(' or ');

  return missing === ''
    ? pass('The app’s user may create and edit leads.')
    : refuse(`The app’s user may not ${missing} leads; give it this right.`);
}

/** Length of a submission id. */
const KEY_LENGTH = 36;

function checkKey({ fields }: LeadDescription, name: string): CrmCheckOutcome {
  const field = fields.find((candidate) => candidate.name === name);
  if (!field) {
    return refuse(
      `Lead has no field ${name}, or the app’s user can’t see it: create it as Text(${KEY_LENGTH}), External ID, Unique.`,
    );
  }
  const { externalId, unique, length, createable } = field;
  if (externalId && unique && length >= KEY_LENGTH && createable) return pass(`${name} is a unique external id.`);

  return (externalId ? fail : refuse)(
    `${name} must be Text(${KEY_LENGTH}), External ID, Unique, and writable by the app’s user; edit it in Salesforce.`,
  );
}

function checkFields({ fields }: LeadDescription, written: readonly string[]): CrmCheckOutcome {
  const writable = fields.filter((field) => field.createable && field.updateable).map(({ name }) => name);
  const missing = written.filter((to) => !writable.includes(to));

  return missing.length === 0
    ? pass('The app’s user can write all mapped fields of Lead.')
    : refuse(`The app’s user can’t write ${missing.join(', ')}; let it edit these Lead fields.`);
}

/** Lists the checks for the login, the rights, the external id and the fields. They write nothing. */
export function listChecks(
  { send }: Pick<CrmConnection, 'send'>,
  fields: readonly string[],
  keyField: string,
): readonly CrmCheck[] {
  let lead: LeadDescription = { createable: false, updateable: false, fields: [] };
  const testCredentials = async () => {
    lead = readResponse('salesforce', await send({ path: 'describe' }), descriptionSchema);

    return pass('Salesforce accepts the consumer key and secret.');
  };

  return [
    { name: 'credentials', run: testCredentials },
    { name: 'rights', run: () => checkRights(lead) },
    { name: 'external id', run: () => checkKey(lead, keyField) },
    { name: 'fields', run: () => checkFields(lead, fields) },
  ];
}

const rights = 'give the app’s user access to Lead and the API';
const explainCall = explainByStatus({
  crm: 'Salesforce',
  url: 'SALESFORCE_LOGIN_URL',
  key: 'the session',
  rights,
  meanings: { 404: { check: 'rights', detail: `The app’s user may not see leads; ${rights}` } },
});

export const explainFailure: ExplainFailure = (error) => {
  const { reason } = error;
  const code = error instanceof CrmError ? error.refusal.code : undefined;
  if (code === 'REQUEST_LIMIT_EXCEEDED') {
    return { check: 'limits', detail: `The 24-hour limit on API calls has been reached (${reason}).` };
  }
  if (!reason.startsWith(LOGIN)) return explainCall(error);
  if (error.result !== 'paused' || code === undefined) {
    return { check: 'address', detail: `The login failed (${reason}); is SALESFORCE_LOGIN_URL right?` };
  }

  return {
    check: 'credentials',
    detail: `Salesforce refuses the login (${reason}); check SALESFORCE_CLIENT_ID, SALESFORCE_CLIENT_SECRET, and the app’s client credentials flow and its user.`,
  };
};
