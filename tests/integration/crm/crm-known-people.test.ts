import { describe, expect, test } from 'vitest';
import { makeDelivery } from './crm-export.ts';
import { openRecordedCrm, type Answer, type Exchange, type Recording } from './recorded-crm.ts';
import { makeSampleLead } from './sample-lead.ts';
import { espocrm, LOOK_UP } from './recordings/espocrm.ts';
import { hubspot } from './recordings/hubspot.ts';
import { twenty } from './recordings/twenty.ts';

/** Returns the recorded exchange for a method and path. */
function getExchange({ exchanges }: Recording, path: string): Exchange & { readonly body: Readonly<Record<string, unknown>> } {
  const exchange = exchanges.find(({ call }) => call.split('?')[0] === path);
  if (!exchange) throw new Error(`${path} isn't recorded.`);

  return { ...exchange, body: exchange.body as Readonly<Record<string, unknown>> };
}

describe('an export to HubSpot', () => {
  const creation = getExchange(hubspot, 'POST /crm/objects/2026-03/contacts');
  const onCreation = /POST .*contacts$/;

  test('fills an existing contact if HubSpot’s refusal of a new one reveals that its secondary address matches', async () => {
    const lookUp = getExchange(hubspot, 'POST /crm/objects/2026-03/contacts/batch/read');
    const { idProperty: _email, ...rest } = lookUp.body;
    const byId: Exchange = { ...lookUp, body: { ...rest, inputs: [{ id: '101' }] }, answer: lookUp.bare ?? [404] };
    const crm = openRecordedCrm(hubspot, { exchanges: [byId] });
    crm.answerOnce(onCreation, [409, { category: 'CONFLICT', message: 'Contact already exists. Existing ID: 101' }]);

    expect(await makeDelivery(crm).tryExport(1)).toBe('101');

    expect(crm.done).toEqual(['fill contact', 'create note']);
  });

  test('creates a contact without the address if HubSpot refuses it, and a retry finds that contact by its stored id', async () => {
    const { email: _email, ...others } = creation.body['properties'] as Record<string, string>;
    const without = { ...creation, body: { ...creation.body, properties: others } };
    const crm = openRecordedCrm(hubspot, { exchanges: [without] });
    const { tryExport, failExport } = makeDelivery(crm);
    crm.answerOnce(onCreation, [400, { category: 'VALIDATION_ERROR', errors: [{ code: 'INVALID_EMAIL' }] }]);
    crm.answerOnce(/POST .*\/notes$/, [500]);

    await failExport(1);
    expect(await tryExport(2)).toBe('101');

    expect(crm.done).toEqual(['create contact', 'create note']);
  });
});

describe('an export to EspoCRM', () => {
  const creation = getExchange(espocrm, 'POST /api/v1/Lead');
  const refuse = (field: string): Answer => [400, { messageTranslation: { label: 'validationFailure', data: { field } } }];
  const leaveOut = (...fields: string[]): Exchange => ({
    ...creation,
    body: Object.fromEntries(Object.entries(creation.body).filter(([field]) => !fields.includes(field))),
  });

  test('creates a lead without the values that the administrator’s rules reject', async () => {
    const crm = openRecordedCrm(espocrm, { exchanges: [leaveOut('accountName'), leaveOut('accountName', 'emailAddress')] });
    crm.answerOnce(creation, refuse('accountName'));
    crm.answerOnce(/POST .*Lead$/, refuse('accountName'));
    crm.answerOnce(/POST .*Lead$/, refuse('emailAddress'));
    const { tryExport, steps } = makeDelivery(crm);

    expect(await tryExport(1)).toBe(espocrm.id);

    expect(crm.done).toEqual(['create lead']);
    // The next attempt can't find the lead by its address.
    expect(steps.get('lead')).toBe(espocrm.id);
  });

  test.each([
    ['Converted', false],
    ['Recycled', false],
    ['Dead', false],
    ['Custom status', true],
  ])('doesn’t change a known lead with the status “%s” unless that status is open', async (status, isOpen) => {
    const known = { id: 'other', status, accountName: 'Engines', phoneNumber: '+441', description: '' };
    const note = getExchange(espocrm, 'POST /api/v1/Note');
    const noteOnOther = { ...note, body: { ...note.body, parentId: 'other' } };
    const lookUp: Exchange = { call: LOOK_UP, answer: [200, { list: [known] }] };
    const crm = openRecordedCrm(espocrm, { exchanges: [lookUp, noteOnOther] });

    await makeDelivery(crm).tryExport(1);

    expect(crm.done).toEqual([isOpen ? 'create note' : 'create lead']);
  });

  test.each([400, 403, 409])('adds a note even if EspoCRM refuses to fill the lead (%i)', async (status) => {
    const crm = openRecordedCrm(espocrm, { known: { lead: 'bare' } });
    crm.answerOnce(/^PUT/, [status]);

    expect(await makeDelivery(crm).tryExport(1)).toBe(espocrm.id);

    expect(crm.done).toEqual(['create note']);
  });
});

describe('an export to Twenty', () => {
  const person = getExchange(twenty, 'POST /rest/people');
  const refuse = (message: string): Answer => [400, { statusCode: 400, messages: [message] }];
  const { emails: _emails, ...withoutEmail } = person.body;

  test('creates a person without the phone number that Twenty refuses', async () => {
    const { phones: _phones, ...others } = person.body;
    const crm = openRecordedCrm(twenty, { exchanges: [{ ...person, body: others }] });
    crm.answerOnce(/POST .*people/, refuse('Provided phone number is invalid'));

    expect(await makeDelivery(crm).tryExport(1)).toBe(twenty.id);
  });

  test.each([
    ['refuses the address', 'Invalid email value'],
    ['still has a deleted person with the address', 'A duplicate entry was detected'],
  ])('creates one person without the address if Twenty %s', async (_what, message) => {
    // The id is derived from the submission's id.
    const id = 'c29e4de6-0606-4bc5-85db-ade17c21d968';
    const created: Answer = [201, { data: { createPerson: { id } } }];
    const byId = `GET /rest/people?filter=id[eq]:"${id}"&limit=1&depth=0`;
    const target = getExchange(twenty, 'POST /rest/noteTargets');
    const crm = openRecordedCrm(twenty, {
      exchanges: [
        { ...person, body: { ...withoutEmail, id }, record: 'own person', answer: created },
        { call: byId, record: 'own person', answer: [200, { data: { people: [] } }], own: [200, { data: { people: [{ id }] } }] },
        { ...target, body: { ...target.body, targetPersonId: id } },
        { call: 'GET /rest/people?filter=emails.primaryEmail[eq]:"ada@example.org"&limit=1&depth=0', answer: [200, { data: { people: [] } }] },
      ],
    });
    const onPerson = /POST .*people/;
    const { tryExport, failExport } = makeDelivery(crm);
    crm.answerOnce(onPerson, refuse(message));
    crm.answerOnce(onPerson, [502], true);
    await failExport(1);
    crm.answerOnce(onPerson, refuse(message));
    crm.answerOnce(onPerson, refuse('A duplicate entry was detected'));

    expect(await tryExport(2)).toBe(id);

    expect(crm.done.filter((step) => step === 'create own person')).toHaveLength(1);
  });

  test('links the note through the field’s old name if Twenty doesn’t support the new name', async () => {
    const target = getExchange(twenty, 'POST /rest/noteTargets');
    const { targetPersonId: personId, ...others } = target.body;
    const crm = openRecordedCrm(twenty, { exchanges: [{ ...target, body: { ...others, personId } }] });
    crm.answerOnce(/POST .*noteTargets/, refuse('Object noteTarget doesn’t have any "targetPersonId" field.'));

    expect(await makeDelivery(crm).tryExport(1)).toBe(twenty.id);
  });

  test('searches for a company with a wildcard in place of every special character', async () => {
    const crm = openRecordedCrm(twenty, { acceptsAnyLead: true });

    await makeDelivery(crm, makeSampleLead({ company: 'a",name[neq]:"(100 %) O\'Brien_\\' })).tryExport(1);

    expect(crm.requests[0]?.call).toContain('name[ilike]:"a__name_neq_:__100 __ O_Brien__"');
  });
});
