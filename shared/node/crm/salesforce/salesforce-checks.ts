import * as v from 'valibot';
import { fail, pass } from '../../monitoring/check.ts';
import { MAX_LISTING_BYTES } from '../../outbound/outbound-client.ts';
import { refuse, runChecksInOrder, type CrmCheckOutcome, type ExplainFailure } from '../crm-checks.ts';
import { readResponse } from '../read-response.ts';
import { makeCallError, SalesforceError, type CallSalesforce } from './salesforce-api.ts';

const fieldSchema = v.object({
  name: v.string(),
  length: v.number(),
  createable: v.boolean(),
  updateable: v.boolean(),
  externalId: v.boolean(),
  unique: v.boolean(),
  restrictedPicklist: v.optional(v.boolean(), false),
  picklistValues: v.optional(v.array(v.object({ value: v.string(), active: v.boolean() })), []),
});
const describeSchema = v.object({
  createable: v.boolean(),
  updateable: v.boolean(),
  fields: v.array(fieldSchema),
});

/** What the app's user may do with leads and their fields. */
type LeadDescription = v.InferOutput<typeof describeSchema>;
type LeadField = LeadDescription['fields'][number];

/** What an export writes to a lead. */
export interface WrittenLead {
  readonly fields: readonly string[];
  /** Those of them that every lead fills, whatever the visitor left out. */
  readonly alwaysFilled: readonly string[];
  /** Values that are written, by picklist. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
  /** The external id field. */
  readonly keyField: string;
}

/** Characters of a submission's id. */
const KEY_LENGTH = 36;

/** What to do about a refused login, by OAuth's codes. */
const loginAdvice: Readonly<Record<string, string>> = {
  invalid_client_id: 'SALESFORCE_CLIENT_ID is unknown; a new app is known after some minutes.',
  invalid_client: 'SALESFORCE_CLIENT_SECRET is not that of the app.',
  invalid_grant: 'the app has no user to run as, or SALESFORCE_LOGIN_URL is not the My Domain address.',
  unsupported_grant_type: 'switch on the app’s client credentials flow.',
};

const explainFailure: ExplainFailure = (error) => {
  if (error.reason.endsWith('-malformed-response')) {
    return { check: 'address', detail: 'The response is not Salesforce’s; is SALESFORCE_LOGIN_URL right?' };
  }
  if (!(error instanceof SalesforceError)) return undefined;
  const { status, errorCode, reason, result } = error;
  const codes = [status, errorCode].filter(Boolean).join(' ');
  if (reason.startsWith('salesforce-login-')) {
    if (result !== 'paused' || errorCode === undefined) {
      const detail = `It responds to a login with ${codes}; is SALESFORCE_LOGIN_URL right?`;

      return { check: 'address', detail };
    }
    const advice = loginAdvice[errorCode] ?? 'see the app’s settings and its user in Salesforce.';

    return { check: 'credentials', detail: `Salesforce refuses the login (${codes}): ${advice}` };
  }
  if (errorCode === 'REQUEST_LIMIT_EXCEEDED') {
    return { check: 'limits', detail: `The calls of 24 hours are used up (${codes}).` };
  }
  if (status === 410) {
    const detail = `Salesforce has retired this version of its API (${codes}); install a newer version of this site.`;

    return { check: 'address', detail };
  }
  if (status >= 500) {
    return { check: 'address', detail: `Salesforce has an error (${codes}); try again later.` };
  }

  return {
    check: 'rights',
    detail: `The app’s user may not see leads (${codes}); give it rights to Lead and the API.`,
  };
};

function checkRights({ createable, updateable }: LeadDescription): CrmCheckOutcome {
  const missing = [...(createable ? [] : ['create']), ...(updateable ? [] : ['edit'])];

  return missing.length === 0
    ? pass('The app’s user may create and edit leads.')
    : refuse(`The app’s user may not ${missing.join(' or ')} leads; give it the right.`);
}

function checkFields({ fields }: LeadDescription, written: WrittenLead): CrmCheckOutcome {
  const writable = fields.filter((field) => field.createable && field.updateable);
  const missing = written.fields.filter((to) => !writable.some(({ name }) => name === to));
  if (missing.length === 0) return pass('All mapped fields of Lead can be written.');
  const isForEveryLead = missing.some((to) => written.alwaysFilled.includes(to));

  return (isForEveryLead ? refuse : fail)(
    `The app’s user can’t write ${missing.join(', ')}; let it edit these fields of Lead.`,
  );
}

function listUnknownChoices(
  { name, restrictedPicklist, picklistValues }: LeadField,
  choices: WrittenLead['choices'],
): string[] {
  if (!restrictedPicklist) return [];
  const known = picklistValues.filter(({ active }) => active).map(({ value }) => value);

  return (choices[name] ?? []).filter((choice) => !known.includes(choice));
}

function checkChoices({ fields }: LeadDescription, written: WrittenLead['choices']): CrmCheckOutcome {
  const unknown = fields
    .map((field) => ({ name: field.name, choices: listUnknownChoices(field, written) }))
    .filter(({ choices }) => choices.length > 0)
    .map(({ name, choices }) => `${name} doesn’t accept ${choices.join(', ')}`);

  return unknown.length === 0
    ? pass('The picklists accept what is sent.')
    : fail(`${unknown.join('; ')}: add these values or lift the restriction; leads arrive without them.`);
}

function checkKey({ fields }: LeadDescription, name: string): CrmCheckOutcome {
  const field = fields.find((candidate) => candidate.name === name);
  if (!field) {
    return refuse(
      `Lead has no field ${name}, or the app’s user can’t see it: create it as Text(${KEY_LENGTH}), External ID, Unique.`,
    );
  }
  const problems = [
    ...(field.externalId ? [] : ['is not marked External ID']),
    ...(field.unique ? [] : ['is not marked Unique']),
    ...(field.length >= KEY_LENGTH ? [] : [`is shorter than ${KEY_LENGTH} characters`]),
    ...(field.createable ? [] : ['can’t be written by the app’s user']),
  ];

  return problems.length === 0
    ? pass(`${name} is a unique external id.`)
    : (field.externalId ? fail : refuse)(`${name} ${problems.join(' and ')}; change it in Salesforce.`);
}

async function describeLead(
  call: CallSalesforce,
  signal: AbortSignal,
): Promise<LeadDescription> {
  const response = await call({
    method: 'GET',
    path: '/sobjects/Lead/describe',
    maxResponseBytes: MAX_LISTING_BYTES,
    signal,
  });
  if (response.status !== 200) throw makeCallError(response);

  return readResponse('salesforce', response, describeSchema);
}

/** Checks login, rights, fields and the key field, without writing; see `CrmProvider.test`. */
export function testSalesforce(call: CallSalesforce, written: WrittenLead, signal: AbortSignal) {
  let lead: LeadDescription = { createable: false, updateable: false, fields: [] };
  const testCredentials = async () => {
    lead = await describeLead(call, signal);

    return pass('Salesforce accepts the consumer key and secret.');
  };

  return runChecksInOrder(
    [
      { name: 'credentials', run: testCredentials },
      { name: 'rights', run: () => checkRights(lead) },
      { name: 'external id', run: () => checkKey(lead, written.keyField) },
      { name: 'fields', run: () => checkFields(lead, written) },
      { name: 'choices', run: () => checkChoices(lead, written.choices) },
    ],
    explainFailure,
  );
}
