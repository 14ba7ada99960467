/**
 * Pipedrive's API, version 2 for organizations and persons and version 1 for leads and notes: paths, parameters and
 * fields compared with pipedrive/client-nodejs 32.2.1 at 97e5382f, which Pipedrive generates from its OpenAPI file.
 */
import type { Answer, Recording } from '../recorded-crm.ts';
import { sampleNoteHtml, SUBMISSION_ID } from '../sample-lead.ts';

const ok = (data: unknown, status = 200): Answer => [status, { success: true, data, additional_data: null }];
const found = (item: object) => ok({ items: [{ result_score: 1, item }] });
const nothing = ok({ items: [] });

const LEAD_ID = '27d049f7-1a88-4566-a4b4-bc94c9a207f0';
const organization = { id: 7, name: 'Sweets & <Sons>' };
const phones = [{ value: '+43 (0)1 234 567', primary: true, label: 'work' }];
const person = {
  name: 'Ada King Lovelace',
  emails: [{ value: 'ada@example.org', primary: true, label: 'work' }],
  phones,
  org_id: 7,
};
const lead = {
  title: 'Sweets & <Sons>: assessment request',
  origin_id: SUBMISSION_ID,
  person_id: 8,
  organization_id: 7,
};
const note = { content: sampleNoteHtml, lead_id: LEAD_ID };

export const pipedrive: Recording = {
  settings: { provider: 'pipedrive', baseUrl: 'https://pipedrive.example', token: 'pipedrive-secret' },
  secret: 'pipedrive-secret',
  id: LEAD_ID,
  fillable: 'person',
  checks: ['credentials', 'rights'],
  exchanges: [
    {
      call: 'GET /api/v2/organizations/search?term=Sweets & <Sons>&fields=name&exact_match=true&limit=1',
      record: 'organization',
      answer: nothing,
      own: found({ ...organization, type: 'organization' }),
    },
    {
      call: 'POST /api/v2/organizations',
      body: { name: organization.name },
      record: 'organization',
      effect: 'create',
      answer: ok(organization),
    },
    {
      call: 'GET /api/v2/persons/search?term=ada@example.org&fields=email&exact_match=true&limit=1',
      record: 'person',
      answer: nothing,
      own: found({ id: 8, type: 'person', name: person.name }),
    },
    {
      call: 'GET /api/v2/persons/8',
      record: 'person',
      answer: [404, { success: false, code: 'ERR_NOT_FOUND' }],
      own: ok({ id: 8, ...person }),
      bare: ok({ id: 8, ...person, name: 'A. King', phones: [{ value: '', primary: true }], org_id: null }),
    },
    { call: 'POST /api/v2/persons', body: person, record: 'person', effect: 'create', answer: ok({ id: 8, ...person }) },
    {
      call: 'PATCH /api/v2/persons/8',
      body: { phones, org_id: 7 },
      record: 'person',
      effect: 'fill',
      answer: ok({ id: 8, ...person }),
    },
    { call: 'POST /v1/leads', body: lead, record: 'lead', effect: 'create', answer: ok({ id: LEAD_ID, ...lead }, 201) },
    {
      call: 'GET /v1/leads?person_id=8&sort=add_time DESC&limit=10',
      record: 'lead',
      answer: ok(null),
      own: ok([{ id: 'another', origin_id: null }, { id: LEAD_ID, ...lead }]),
    },
    { call: 'POST /v1/notes', body: note, record: 'note', effect: 'create', answer: ok({ id: 9, ...note }, 201) },
    {
      call: `GET /v1/notes?lead_id=${LEAD_ID}&sort=add_time DESC&limit=5`,
      record: 'note',
      answer: ok(null),
      own: ok([{ id: 9, ...note }]),
    },
    ...['persons', 'organizations', 'leads'].map((kind) => ({
      call: `GET /api/v2/${kind}/search?term=crm-test&limit=1`,
      answer: nothing,
    })),
  ],
};
