import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { callCrm } from '../../support/crm/call-crm.ts';
import { startFakeTwenty, type FakeTwentyOptions } from '../../support/crm/fake-twenty.ts';

const person = {
  name: { firstName: 'Ada', lastName: 'Lovelace' },
  emails: { primaryEmail: 'ada@example.com' },
};

async function setUp(options: FakeTwentyOptions = {}) {
  const crm = await startFakeTwenty(options);
  onTestFinished(() => crm.close());
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    callCrm(method, `${crm.url}/rest/${path}`, { authorization: `Bearer ${crm.apiKey}`, ...headers }, body);
  const find = async (filter: string, object = 'people') => {
    const { status, body } = await call('GET', `${object}?filter=${encodeURIComponent(filter)}`);
    const { totalCount } = body as { totalCount?: number };

    return totalCount ?? status;
  };

  return { crm, call, find };
}

const refused = (status: number, error: string, message: string) => ({
  status,
  body: { statusCode: status, error, messages: [expect.stringContaining(message)] },
});

test('Twenty creates a person under a given id, and finds, reads and changes it', async () => {
  const { crm, call } = await setUp();
  const id = randomUUID();

  const made = await call('POST', 'people', { id, ...person });
  const found = await call('GET', 'people?filter=emails.primaryEmail[eq]:%22ada@example.com%22&limit=1');
  const changed = await call('PATCH', `people/${id}`, { name: { firstName: 'Augusta' } });

  expect(made).toMatchObject({ status: 201, body: { data: { createPerson: { id, jobTitle: '', ...person } } } });
  expect(found).toMatchObject({ body: { data: { people: [{ id }] }, totalCount: 1 } });
  expect(changed).toMatchObject({
    status: 200,
    body: { data: { updatePerson: { name: { firstName: 'Augusta', lastName: 'Lovelace' } } } },
  });
  expect((await call('GET', `people/${id}?depth=0`)).body).toEqual({ data: { person: crm.people[0] } });
});

test('Twenty refuses a second person of an e-mail or an id, in the bin or not', async () => {
  const { crm, call } = await setUp();
  const id = randomUUID();
  await call('POST', 'people', { id, ...person });
  const duplicate = refused(400, 'BadRequestException', 'duplicate entry was detected');

  expect(await call('POST', 'people', { emails: { primaryEmail: 'ADA@Example.com' } })).toMatchObject(duplicate);
  expect(await call('POST', 'people', { id })).toMatchObject(duplicate);
  crm.binRecord(id);
  expect(await call('POST', 'people', person)).toMatchObject(duplicate);
  expect(await call('GET', `people/${id}`)).toMatchObject({ status: 404 });
  expect(crm.people).toHaveLength(1);
});

test('Twenty stores e-mails, phone numbers and addresses in forms of its own', async () => {
  const { crm, call } = await setUp();

  await call('POST', 'people', {
    emails: { primaryEmail: 'Ada@MÜNCHEN.de' },
    phones: { primaryPhoneNumber: '+49 (30) 123-456' },
  });
  await call('POST', 'companies', { domainName: { primaryLinkUrl: 'https://Example.COM/Path/' } });

  expect(crm.people[0]).toMatchObject({
    emails: { primaryEmail: 'ada@xn--mnchen-3ya.de', additionalEmails: [] },
    phones: { primaryPhoneNumber: '30123456', primaryPhoneCallingCode: '+49', primaryPhoneCountryCode: 'DE' },
  });
  expect(crm.companies).toMatchObject([{ domainName: { primaryLinkUrl: 'https://example.com/Path' } }]);
});

test.each([
  ['a field it has not', { shoeSize: '46' }, 'doesn\'t have any "shoeSize" field'],
  ['a part it has not', { name: { middleName: 'King' } }, "Invalid subfield 'middleName'"],
  ['a number as text', { jobTitle: 1 }, 'Invalid value'],
  ['a text for a name', { name: 'Ada' }, 'Invalid value'],
  ['an e-mail that is none', { emails: { primaryEmail: 'ada' } }, 'for email field'],
  ['a phone number without a calling code', { phones: { primaryPhoneNumber: '030 123' } }, 'phone number is invalid'],
  ['an id of version 7', { id: '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b' }, 'Invalid UUID'],
  ['a company it has not', { companyId: randomUUID() }, 'foreign key'],
  ['no object', [], 'not an object'],
  ['no JSON', '{', 'JSON'],
])('Twenty refuses %s', async (_what, body: unknown, message) => {
  const { crm, call } = await setUp();

  expect(await call('POST', 'people', body)).toMatchObject(refused(400, 'BadRequestException', message));
  expect(crm.people).toHaveLength(0);
});

test('Twenty refuses no key, a wrong one, one that has expired, one that was revoked', async () => {
  const { crm, call } = await setUp();
  const list = (headers = {}) => call('GET', 'people?limit=1', undefined, headers);

  expect(await list({ authorization: '' })).toMatchObject(refused(403, 'FORBIDDEN_EXCEPTION', 'Missing'));
  expect(await list({ authorization: 'Bearer no' })).toMatchObject(refused(401, 'UNAUTHENTICATED', 'invalid'));
  expect(await list()).toMatchObject({ status: 200 });
  crm.expireKey();
  expect(await list()).toMatchObject(refused(401, 'UNAUTHENTICATED', 'expired'));
  crm.revokeKey();
  expect(await list()).toMatchObject(refused(403, 'FORBIDDEN_EXCEPTION', 'revoked'));
});

test('Twenty describes itself at length, and to a wrong key as if it were empty', async () => {
  const { crm, call } = await setUp({ noteTargetFields: 'old' });
  const path = 'components.schemas.NoteTarget.properties.personId';

  expect((await call('GET', 'open-api/core')).body).toHaveProperty(path);
  const stub = await callCrm('GET', `${crm.url}/rest/open-api/core`, { authorization: 'Bearer no' });
  expect(stub.status).toBe(200);
  expect(stub.body).not.toHaveProperty(path);
});

test('Twenty refuses what the role may not do, unknown objects, paths and ids, and too many calls', async () => {
  const { call } = await setUp({ forbidden: ['people/create'], rateLimit: { calls: 5, windowMs: 60_000 } });

  expect(await call('POST', 'people', person)).toMatchObject(refused(400, 'PermissionsException', 'permission'));
  expect(await call('GET', 'shoes')).toMatchObject({ status: 400 });
  expect(await call('GET', 'people/1/2/3')).toMatchObject({ status: 400 });
  expect(await call('GET', 'people/1')).toMatchObject({ status: 400 });
  expect(await call('GET', `people/${randomUUID()}`)).toMatchObject({ status: 404 });
  expect(await call('GET', 'people')).toMatchObject({ status: 429, body: { retryAfterSeconds: 60 } });
});

test('Twenty filters by terms and conjunctions, quoted or not, and refuses others', async () => {
  const { crm, call, find } = await setUp();
  for (const city of ['Bern', 'Bonn', 'A, "B']) await call('POST', 'people', { city });

  expect(await find('city[eq]:Bern')).toBe(1);
  expect(await find('city[eq]:"A, "B"')).toBe(1);
  expect(await find('city[like]:"B%n",city[neq]:"Bern"')).toBe(1);
  expect(await find('or(city[eq]:"Bern",not(city[startsWith]:"B"))')).toBe(2);
  expect(await find('city[in]:["Bern","Bonn"]')).toBe(2);
  expect(await find('companyId[is]:NULL')).toBe(3);
  crm.binRecord(crm.people[0]?.id ?? '');
  expect(await find('city[startsWith]:"B"')).toBe(1);
  expect(await find('deletedAt[is]:NOT_NULL')).toBe(1);
  for (const bad of ['city', 'city[equals]:x', 'shoe[eq]:46', 'city[in]:Bern']) expect(await find(bad)).toBe(400);
});

test('Twenty links a note to a person by a target, whose field older builds call differently', async () => {
  const { crm, call } = await setUp();
  await call('POST', 'people', person);
  const note = await call('POST', 'notes', { title: 'Request', bodyV2: { markdown: 'Hello' } });
  const [noteId, targetPersonId] = [crm.notes[0]?.id, crm.people[0]?.id];

  expect(note).toMatchObject({ status: 201, body: { data: { createNote: { bodyV2: { markdown: 'Hello' } } } } });
  expect(await call('POST', 'noteTargets', { noteId, personId: targetPersonId })).toMatchObject(
    refused(400, 'BadRequestException', 'doesn\'t have any "personId" field'),
  );
  expect(await call('POST', 'noteTargets', { noteId, targetPersonId })).toMatchObject({ status: 201 });
  expect(await call('GET', `noteTargets?filter=targetPersonId[eq]:${targetPersonId}`)).toMatchObject({
    body: { data: { noteTargets: [{ note: { title: 'Request' }, targetPerson: { city: '' } }] } },
  });
  expect(await call('POST', 'notes', { body: 'Hello' })).toMatchObject({ status: 400 });
});

test('Twenty creates all people of a batch or none, and pages through them', async () => {
  const { crm, call } = await setUp();
  const make = (city: string) => ({ city });

  expect(await call('POST', 'batch/people', [make('Bern'), { shoeSize: 1 }])).toMatchObject({ status: 400 });
  expect(crm.people).toHaveLength(0);
  expect(await call('POST', 'batch/people', [make('Bern'), make('Bonn')])).toMatchObject({
    status: 201,
    body: { data: { createPeople: [{ city: 'Bern' }, { city: 'Bonn' }] } },
  });
  const { body } = await call('GET', 'people?limit=1');
  const { pageInfo } = body as { pageInfo: { endCursor: string; hasNextPage: boolean } };
  expect(pageInfo.hasNextPage).toBe(true);
  expect(await call('GET', `people?starting_after=${pageInfo.endCursor}`)).toMatchObject({
    body: { data: { people: [{ city: 'Bonn' }] } },
  });
  expect(await call('GET', 'people?starting_after=nobody')).toMatchObject({ status: 400 });
});
