import { describe, expect, test } from 'vitest';
import type { CrmRecord } from '../../../shared/node/crm/crm-provider.ts';
import { makeDelivery } from './crm-export.ts';
import { openRecordedCrm, type Answer } from './recorded-crm.ts';
import { makeSampleLead } from './sample-lead.ts';
import { odoo, odooRpc } from './recordings/odoo.ts';
import { leadBody, salesforce } from './recordings/salesforce.ts';

const onUpsert = /PATCH/;
const refuse = (errorCode: string): Answer => [400, [{ errorCode, message: 'Ada Lovelace' }]];

/** Exports the sample lead with changes, and returns the result and the last upsert's body. */
async function exportToSalesforce(changes: Partial<CrmRecord>, ...answers: readonly Answer[]) {
  const crm = openRecordedCrm(salesforce, { acceptsAnyLead: true });
  for (const answer of answers) crm.answerOnce(onUpsert, answer);
  const id = await makeDelivery(crm, makeSampleLead(changes)).tryExport(1);
  const upserts = crm.requests.filter(({ call }) => call.startsWith('PATCH'));

  return { id, body: upserts.at(-1)?.body as Readonly<Record<string, string>>, upserts, crm };
}

describe('a lead in Salesforce', () => {
  test('has long values shortened to fit its fields, and repeated in full in its description', async () => {
    const email = `${'a'.repeat(90)}@example.org`;
    const name = `${'É'.repeat(50)} ${'😀'.repeat(41)}x`;
    const { body } = await exportToSalesforce({ name, email, message: null });

    expect(body).toMatchObject({ FirstName: 'É'.repeat(40), LastName: '😀'.repeat(40) });
    expect(body).not.toHaveProperty('Email');
    expect(body['Description']).toContain(`Name: ${name}\n- Email: ${email}\n`);
  });

  test('is created without the values that Salesforce refuses', async () => {
    const { body } = await exportToSalesforce({}, refuse('INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST'), refuse('INVALID_EMAIL_ADDRESS'));

    const { Industry: _industry, LeadSource: _source, Email: _email, ...others } = leadBody;
    expect(body).toEqual(others);
  });

  test.each([
    ['Salesforce confirms it without an id', [204]],
    ['it was converted after the restored backup was made', refuse('CANNOT_UPDATE_CONVERTED_LEAD')],
  ] as const)('counts as exported if %s', async (_what, answer) => {
    expect((await exportToSalesforce({}, answer)).id).toBeNull();
  });

  test('is found if Salesforce reports a duplicate value because an earlier upsert has just created it', async () => {
    const crm = openRecordedCrm(salesforce, { known: { lead: 'own' } });
    crm.answerOnce(onUpsert, refuse('DUPLICATE_VALUE'));

    expect(await makeDelivery(crm).tryExport(1)).toBe(salesforce.id);
  });

  test('is saved despite duplicate rules that only warn', async () => {
    const { upserts } = await exportToSalesforce({});

    expect(JSON.stringify(upserts[0]?.headers)).toContain('allowSave=true');
  });
});

describe('a Salesforce session', () => {
  const expired: Answer = [401, [{ errorCode: 'INVALID_SESSION_ID' }]];
  const countLogins = ({ requests }: { readonly requests: ReadonlyArray<{ readonly call: string }> }) =>
    requests.filter(({ call }) => call.includes('oauth2')).length;

  test('is reused for further leads, and is renewed once per call after it has expired', async () => {
    const crm = openRecordedCrm(salesforce, { acceptsAnyLead: true });
    const startDelivery = () => makeDelivery(crm);
    for (let lead = 0; lead < 2; lead += 1) await startDelivery().tryExport(1);
    expect(countLogins(crm)).toBe(1);

    crm.answerOnce(onUpsert, expired);
    expect(await startDelivery().tryExport(1)).toBe(salesforce.id);
    expect(countLogins(crm)).toBe(2);

    crm.answerOnce(onUpsert, expired);
    crm.answerOnce(onUpsert, expired);
    expect(await startDelivery().failExport(1)).toMatchObject({ reason: 'salesforce-401-INVALID_SESSION_ID' });
    expect(countLogins(crm)).toBe(3);
  });

  test('is not renewed after a 401 for another reason', async () => {
    const crm = openRecordedCrm(salesforce);
    crm.answerOnce(onUpsert, [401, [{ errorCode: 'INVALID_AUTH_HEADER' }]]);

    expect(await makeDelivery(crm).failExport(1)).toMatchObject({ result: 'paused' });
    expect(countLogins(crm)).toBe(1);
  });
});

/** Returns the values of the lead created in Odoo, as JSON. */
function readCreatedLead(requests: ReadonlyArray<{ readonly call: string; readonly body: unknown }>): string {
  return JSON.stringify(requests.filter(({ body }) => JSON.stringify(body).includes('contact_name')).at(-1)?.body);
}

describe('a lead in Odoo', () => {
  test.each([403, 422])('has the campaign source only in its description if Odoo refuses the source (%i)', async (status) => {
    const crm = openRecordedCrm(odoo, { acceptsAnyLead: true });
    crm.answerOnce(/utm\.source\/create/, [status, { name: 'odoo.exceptions.AccessError' }]);

    await makeDelivery(crm).tryExport(1);

    expect(readCreatedLead(crm.requests)).not.toContain('source_id');
    expect(readCreatedLead(crm.requests)).toMatch(/"medium_id":12.*newsletter/);
  });

  test('is sent with the database name if one is set', async () => {
    for (const database of ['company', undefined]) {
      const crm = openRecordedCrm(odoo, { settings: { database } });
      await makeDelivery(crm).tryExport(1);

      expect(crm.requests.every(({ headers }) => JSON.stringify(headers).includes('x-odoo-database') === (database !== undefined))).toBe(true);
    }
  });
});

describe('an export to Odoo over JSON-RPC', () => {
  const countLogins = (requests: ReadonlyArray<{ readonly body: unknown }>) =>
    requests.filter(({ body }) => JSON.stringify(body).includes('"authenticate"')).length;

  test('reuses an earlier export’s login until Odoo refuses the key', async () => {
    const crm = openRecordedCrm(odooRpc, { known: { lead: 'own' } });
    const lead = makeSampleLead({ source: {} });
    for (let attempt = 1; attempt <= 2; attempt += 1) await makeDelivery(crm, lead).tryExport(1);
    expect(countLogins(crm.requests)).toBe(1);

    crm.answerOnce(/jsonrpc/, [200, { error: { data: { name: 'odoo.exceptions.AccessDenied' } } }]);
    await makeDelivery(crm, lead).failExport(1);
    await makeDelivery(crm, lead).tryExport(2);

    expect(countLogins(crm.requests)).toBe(2);
  });

  test('sends the description to Odoo 14 as plain text, because the field accepts only text in that version', async () => {
    const version: Answer = [200, { result: { server_version_info: [14, 0] } }];
    const found: Answer = [200, { result: [] }];
    const created: Answer = [200, { result: [14] }];
    const crm = openRecordedCrm(odooRpc);
    for (const answer of [[200, { result: 2 }], found, version, created] as const) crm.answerOnce(/jsonrpc/, answer);

    expect(await makeDelivery(crm, makeSampleLead({ source: {} })).tryExport(1)).toBe('14');

    expect(readCreatedLead(crm.requests)).toContain('Our factory is <slow>.');
  });
});
