import { expect, test } from 'vitest';
import { Hour } from '../../../shared/time.ts';
import { makeDelivery } from './crm-export.ts';
import { openRecordedCrm, type Answer, type Recording } from './recorded-crm.ts';
import { makeSampleLead } from './sample-lead.ts';
import { espocrm } from './recordings/espocrm.ts';
import { hubspot } from './recordings/hubspot.ts';
import { odoo, odooRpc } from './recordings/odoo.ts';
import { pipedrive } from './recordings/pipedrive.ts';
import { salesforce } from './recordings/salesforce.ts';
import { twenty } from './recordings/twenty.ts';

/** A call, the CRM's response, the expected result and reason, and how long all exports pause, in milliseconds. */
type Row = readonly [on: RegExp, answer: Answer, result: string, reason: string, kindWaitsMs?: number];

const ADA = 'Ada Lovelace <ada@example.org>';
const onContact = /contacts$/;
const batch = (category: string): Answer => [207, { results: [], errors: [{ category, message: ADA }] }];
const hubspotRows: readonly Row[] = [
  [onContact, [400, { category: 'VALIDATION_ERROR', message: ADA, errors: [{ code: 'INVALID_LENGTH' }] }], 'dead', '400-VALIDATION_ERROR-INVALID_LENGTH'],
  [onContact, [400, { category: ADA, errors: [{ code: ADA }] }], 'dead', '400'],
  [onContact, [429, { category: 'RATE_LIMITS', policyName: 'DAILY' }], 'retry', '429-RATE_LIMITS-DAILY', 1 * Hour],
  [onContact, [429, { policyName: 'TEN_SECONDLY_ROLLING' }], 'retry', '429-TEN_SECONDLY_ROLLING', 10_000],
  [onContact, [477], 'retry', '477', 1 * Hour],
  [onContact, [477, '', { 'retry-after': '60' }], 'retry', '477', 60_000],
  [/batch/, batch('MISSING_SCOPES'), 'retry', '500-MISSING_SCOPES'],
  [/notes$/, [404, { category: 'OBJECT_NOT_FOUND' }], 'paused', '404-OBJECT_NOT_FOUND'],
];

const onPerson = /POST .*persons/;
const pipedriveRows: readonly Row[] = [
  [/POST .*leads/, [403, { code: 'feature_capping_deals_limit' }], 'dead', '403-feature_capping_deals_limit'],
  [onPerson, [400, { error: ADA, code: `wrong: ${ADA}` }], 'dead', '400'],
  [onPerson, [429, '', { 'x-ratelimit-reset': '7' }], 'retry', '429', 7_000],
];

const refuseField = (field: string, type: string): Answer => [
  400,
  { messageTranslation: { label: 'validationFailure', data: { field, type } } },
];
const espocrmRows: readonly Row[] = [
  [/POST .*Lead$/, refuseField('website', 'required'), 'dead', '400-website-required'],
  [/POST .*Lead$/, refuseField(ADA, ADA), 'dead', '400'],
];

const makeErrors = (status: number, ...messages: string[]): Answer => [status, { statusCode: status, error: 'BadRequestException', messages }];
const onNote = /POST .*notes/;
const twentyRows: readonly Row[] = [
  [onNote, [400, { error: ADA, messages: [`Invalid value "${ADA}"`] }], 'dead', '400'],
  [onNote, [400, { code: 'VALIDATION_RULE_VIOLATION', messages: ['This title already exists'] }], 'dead', '400-VALIDATION_RULE_VIOLATION'],
  [onNote, makeErrors(400, 'Entity does not have permission'), 'paused', '403'],
  [onNote, makeErrors(400, 'Query read timeout'), 'retry', '400'],
  [onNote, [429, { retryAfterSeconds: 20 }], 'retry', '429', 20_000],
  [onNote, [429], 'retry', '429', 60_000],
  // The wait is capped, in case a CRM sends milliseconds by mistake.
  [onNote, [429, { retryAfterSeconds: 10_000_000 }], 'retry', '429', 6 * Hour],
];

const code = (status: number, errorCode: string, message = ADA, headers = {}): Answer => [status, [{ errorCode, message }], headers];
const onLead = /PATCH/;
const onLogin = /oauth2/;
const salesforceRows: readonly Row[] = [
  [onLead, code(400, 'FIELD_CUSTOM_VALIDATION_EXCEPTION'), 'dead', '400-FIELD_CUSTOM_VALIDATION_EXCEPTION'],
  [onLead, code(400, 'DUPLICATES_DETECTED'), 'dead', '400-DUPLICATES_DETECTED'],
  // No lead has this key, so the duplicate value is in another unique field.
  [onLead, code(400, 'DUPLICATE_VALUE'), 'dead', '400-DUPLICATE_VALUE'],
  [onLead, code(400, 'INVALID_FIELD'), 'paused', '400-INVALID_FIELD'],
  [onLead, code(400, 'INVALID_FIELD_FOR_INSERT_UPDATE'), 'paused', '400-INVALID_FIELD_FOR_INSERT_UPDATE'],
  [onLead, code(400, 'UNABLE_TO_LOCK_ROW'), 'retry', '400-UNABLE_TO_LOCK_ROW'],
  [onLead, code(400, ADA), 'dead', '400'],
  [onLead, code(404, 'NOT_FOUND'), 'paused', '404-NOT_FOUND'],
  [onLead, [300, ['/a', '/b']], 'dead', '300-several-leads-have-this-id'],
  [onLead, code(403, 'REQUEST_LIMIT_EXCEEDED'), 'retry', '403-REQUEST_LIMIT_EXCEEDED', 1 * Hour],
  [onLead, code(403, 'REQUEST_LIMIT_EXCEEDED', 'ConcurrentPerOrgLongTxn Limit'), 'retry', '403-REQUEST_LIMIT_EXCEEDED', 30_000],
  [onLead, code(403, 'REQUEST_LIMIT_EXCEEDED', ADA, { 'retry-after': '9' }), 'retry', '403-REQUEST_LIMIT_EXCEEDED', 9_000],
  [onLogin, [400, { error: 'invalid_client_id' }], 'paused', 'login-400-invalid_client_id'],
  [onLogin, [200, { access_token: 'token', instance_url: 'nowhere' }], 'retry', 'login-malformed-response'],
];

const raise = (name: string): object => ({ name, message: ADA, arguments: [ADA], context: {}, debug: `Traceback: ${ADA}` });
const onCreate = /crm\.lead\/create/;
const odooRows: readonly Row[] = [
  [onCreate, [422, raise('odoo.exceptions.ValidationError')], 'dead', '422-ValidationError'],
  [onCreate, [422, raise(ADA)], 'dead', '422'],
  [onCreate, [404, raise('werkzeug.exceptions.NotFound')], 'paused', '404-NotFound'],
];

/** Odoo's JSON-RPC reports every error with status 200. */
const rpcError = (name: string, message = ADA): Answer => [
  200,
  { jsonrpc: '2.0', id: 1, error: { code: 200, message: 'Odoo Server Error', data: { ...raise(name), message } } },
];
const onRpc = /jsonrpc/;
const odooRpcRows: readonly Row[] = [
  [onRpc, rpcError('odoo.exceptions.ValidationError'), 'dead', '422-ValidationError'],
  [onRpc, rpcError('odoo.exceptions.UserError'), 'dead', '422-UserError'],
  [onRpc, rpcError('odoo.exceptions.UserError', 'Object crm.lead doesn’t exist'), 'paused', '404-UserError'],
  [onRpc, rpcError('odoo.exceptions.AccessError'), 'paused', '403-AccessError'],
  [onRpc, rpcError('odoo.exceptions.AccessDenied'), 'paused', '401-AccessDenied'],
  [onRpc, rpcError('werkzeug.exceptions.NotFound'), 'paused', '404-no-jsonrpc'],
  [onRpc, [404], 'paused', '404-no-jsonrpc'],
  [onRpc, rpcError('psycopg2.OperationalError', 'database "x" does not exist'), 'paused', '404-OperationalError'],
  [onRpc, rpcError('psycopg2.OperationalError', 'too many clients'), 'retry', '500-OperationalError'],
  [onRpc, rpcError('builtins.Exception'), 'retry', '500-Exception'],
  // For a wrong login or key, Odoo returns false instead of an error.
  [onRpc, [200, { jsonrpc: '2.0', id: 1, result: false }], 'paused', '401-AccessDenied'],
];

const rowsOf = (recording: Recording, rows: readonly Row[]) =>
  rows.map(([on, answer, result, reason, kindWaitsMs]) => {
    const { provider } = recording.settings;

    return { provider, recording, on, answer, result, reason: `${provider}-${reason}`, kindWaitsMs };
  });

test.each([
  ...rowsOf(hubspot, hubspotRows),
  ...rowsOf(pipedrive, pipedriveRows),
  ...rowsOf(espocrm, espocrmRows),
  ...rowsOf(twenty, twentyRows),
  ...rowsOf(salesforce, salesforceRows),
  ...rowsOf(odoo, odooRows),
  ...rowsOf(odooRpc, odooRpcRows),
])('$provider: the refusal $reason is classified as $result', async ({ recording, on, answer, ...expected }) => {
  const crm = openRecordedCrm(recording);
  crm.answerOnce(on, answer);

  // Without a campaign, the lead itself is the first record.
  const changes = recording === odooRpc ? { source: {} } : {};
  const failure = await makeDelivery(crm, makeSampleLead(changes)).failExport(1);

  const { result, reason, kindWaitsMs } = expected;
  expect(failure).toMatchObject({ result, reason, kindWaitsMs });
  expect(String(failure.stack)).not.toContain(ADA);
});

test('Pipedrive: a 403 without a code means the rate limit after a 429, and wrong credentials otherwise', async () => {
  const { provider, answerOnce } = openRecordedCrm(pipedrive);
  const { failExport } = makeDelivery({ provider });
  answerOnce(/./, [403]);
  expect(await failExport(1)).toMatchObject({ result: 'paused', reason: 'pipedrive-403' });
  answerOnce(/./, [429]);
  await failExport(2);

  for (const attempt of [3, 4]) {
    answerOnce(/./, [403]);
    expect(await failExport(attempt)).toMatchObject({ result: 'retry', reason: 'pipedrive-403-limit', kindWaitsMs: 600_000 });
  }
});
