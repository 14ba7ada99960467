/**
 * Twenty's REST API, compared by hand with packages/twenty-server in twentyhq/twenty (engine/api/rest). Not validated: only
 * a running workspace publishes a description.
 */
import type { Answer, Recording } from '../recorded-crm.ts';
import { sampleNoteMarkdown } from '../sample-lead.ts';

const COMPANY = '23a71415-45e6-4d14-aad1-c0890f8f3a42';
const PERSON = '23c9e67d-0c10-4f92-9dac-0b0294228af2';
// Derived from the submission's id.
const NOTE = '86b81357-0000-465e-8e53-7978b7e49445';
const TARGET = '1fa27b27-40e3-4169-8758-6662cddd95cd';

const company = { id: COMPANY, name: 'Sweets & <Sons>' };
const typed = {
  name: { firstName: 'Ada King', lastName: 'Lovelace' },
  emails: { primaryEmail: 'ada@example.org' },
  phones: { primaryPhoneNumber: '+431234567' },
  companyId: COMPANY,
};
const stored = { primaryPhoneNumber: '1234567', primaryPhoneCallingCode: '+43', additionalPhones: [] };
const person = { ...typed, id: PERSON, phones: stored };
const barePerson = { ...person, name: { firstName: 'A.', lastName: 'King' }, companyId: null, phones: { ...stored, primaryPhoneNumber: '' } };
const note = { id: NOTE, title: 'Sweets & <Sons>: assessment request', bodyV2: { markdown: sampleNoteMarkdown } };
const target = { id: TARGET, noteId: NOTE, targetPersonId: PERSON };

const list = (name: string, ...records: readonly object[]): Answer => [200, { data: { [name]: records }, totalCount: records.length }];
const created = (name: string, record: object): Answer => [201, { data: { [name]: record } }];
const byId = (objects: string, id: string) => `GET /rest/${objects}?filter=id[eq]:"${id}"&limit=1&depth=0`;

export const twenty: Recording = {
  settings: { provider: 'twenty', url: 'https://twenty.example', apiKey: 'twenty-secret' },
  secret: 'twenty-secret',
  id: PERSON,
  fillable: 'person',
  checks: ['credentials', 'rights', 'key'],
  exchanges: [
    {
      call: 'GET /rest/companies?filter=name[ilike]:"Sweets & <Sons>"&limit=60&depth=0',
      record: 'company',
      answer: list('companies', { ...company, id: NOTE, name: 'Sweets & <Sons> Inc.' }),
      own: list('companies', company),
    },
    {
      call: 'POST /rest/companies?depth=0',
      body: { name: company.name },
      record: 'company',
      effect: 'create',
      answer: created('createCompany', company),
    },
    {
      call: 'GET /rest/people?filter=emails.primaryEmail[eq]:"ada@example.org"&limit=1&depth=0',
      record: 'person',
      answer: list('people'),
      own: list('people', person),
      bare: list('people', barePerson),
    },
    { call: 'POST /rest/people?depth=0', body: typed, record: 'person', effect: 'create', answer: created('createPerson', person) },
    {
      call: `PATCH /rest/people/${PERSON}?depth=0`,
      body: { phones: typed.phones, companyId: COMPANY },
      record: 'person',
      effect: 'fill',
      answer: [200, { data: { updatePerson: person } }],
    },
    { call: 'POST /rest/notes?depth=0', body: note, record: 'note', effect: 'create', answer: created('createNote', note) },
    { call: byId('notes', NOTE), record: 'note', answer: list('notes'), own: list('notes', note) },
    {
      call: 'POST /rest/noteTargets?depth=0',
      body: target,
      record: 'note target',
      effect: 'create',
      answer: created('createNoteTarget', target),
    },
    { call: byId('noteTargets', TARGET), record: 'note target', answer: list('noteTargets'), own: list('noteTargets', target) },
    ...['people', 'companies', 'notes', 'noteTargets'].map((name) => ({
      call: `GET /rest/${name}?limit=1&depth=0`,
      answer: list(name),
    })),
  ],
};
