/**
 * HubSpot's API 2026-03, requests validated by script against HubSpot/HubSpot-public-api-spec-collection at 99893791:
 * contacts, notes and objects (rollout 424), properties (rollout 145899). The call for a token's scopes has no dated version.
 */
import type { Recording } from '../recorded-crm.ts';
import { sampleNoteHtml } from '../sample-lead.ts';

const OBJECTS = '/crm/objects/2026-03';
const times = { createdAt: '2026-11-03T09:00:02.000Z', updatedAt: '2026-11-03T09:00:02.000Z', archived: false };
const properties = {
  email: 'ada@example.org',
  firstname: 'Ada King',
  lastname: 'Lovelace',
  company: 'Sweets & <Sons>',
  phone: '+43 (0)1 234 567',
};
const contact = { id: '101', properties, ...times };
const { lastname: _lastname, phone: _phone, ...rest } = properties;
const bareContact = { ...contact, properties: { ...rest, company: 'Engines', lastname: null, phone: ' ' } };
const note = { id: '102', properties: { hs_timestamp: '2025-11-03T09:00:01.000Z', hs_note_body: sampleNoteHtml } };
const notFound = { status: 'error', category: 'OBJECT_NOT_FOUND', message: 'Could not get some CONTACT objects.', context: {} };
const complete = (results: readonly unknown[]) => ({ status: 'COMPLETE', results });

export const hubspot: Recording = {
  settings: { provider: 'hubspot', baseUrl: 'https://hubspot.example', token: 'pat-eu1-secret' },
  secret: 'pat-eu1-secret',
  id: '101',
  fillable: 'contact',
  checks: ['credentials', 'scopes', 'fields'],
  exchanges: [
    {
      call: `POST ${OBJECTS}/contacts/batch/read`,
      body: {
        idProperty: 'email',
        inputs: [{ id: 'ada@example.org' }],
        properties: ['email', 'firstname', 'lastname', 'company', 'phone'],
        propertiesWithHistory: [],
      },
      record: 'contact',
      answer: [207, { ...complete([]), numErrors: 1, errors: [notFound] }],
      own: [200, complete([contact])],
      bare: [200, complete([bareContact])],
    },
    {
      call: `POST ${OBJECTS}/contacts`,
      body: { properties, associations: [] },
      record: 'contact',
      effect: 'create',
      answer: [201, contact],
    },
    {
      call: `PATCH ${OBJECTS}/contacts/101`,
      body: { properties: { lastname: 'Lovelace', phone: '+43 (0)1 234 567' } },
      record: 'contact',
      effect: 'fill',
      answer: [200, contact],
    },
    {
      call: `POST ${OBJECTS}/notes`,
      body: {
        properties: note.properties,
        associations: [
          { to: { id: '101' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 202 }] },
        ],
      },
      record: 'note',
      effect: 'create',
      answer: [201, { ...note, ...times }],
    },
    {
      call: `GET ${OBJECTS}/contacts/101/associations/notes?limit=500`,
      record: 'note',
      answer: [200, { results: [] }],
      own: [200, { results: [{ toObjectId: 102, associationTypes: [] }] }],
    },
    {
      call: `POST ${OBJECTS}/notes/batch/read`,
      body: { inputs: [{ id: '102' }], properties: ['hs_note_body'], propertiesWithHistory: [] },
      answer: [200, complete([{ ...note, ...times }])],
    },
    {
      call: 'GET /crm/properties/2026-03/contacts',
      answer: [200, { results: Object.keys(properties).map((name) => ({ name, type: 'string' })) }],
    },
    {
      call: 'POST /oauth/v2/private-apps/get/access-token-info',
      body: { tokenKey: 'pat-eu1-secret' },
      answer: [200, { hubId: 2, scopes: ['crm.objects.contacts.read', 'crm.objects.contacts.write'] }],
    },
  ],
};
