/**
 * EspoCRM 10.0.0: calls compared with routes.json and fields with Lead's entityDefs, in espocrm/espocrm at 2cde9d98.
 */
import type { Recording } from '../recorded-crm.ts';
import { sampleNoteMarkdown } from '../sample-lead.ts';

const lead = {
  firstName: 'Ada King',
  lastName: 'Lovelace',
  accountName: 'Sweets & Sons',
  emailAddress: 'ada@example.org',
  phoneNumber: '+431234567',
  source: 'Web Site',
  description: sampleNoteMarkdown,
};
const fields = Object.keys(lead).map((name) => [name, { type: 'varchar', required: name === 'lastName' }]);
const found = { id: '1af139162a08454cc', status: 'New', accountName: lead.accountName, phoneNumber: lead.phoneNumber };
const list = (...records: readonly object[]) => [200, { total: records.length, list: records }] as const;
/** A post whose @ doesn't mention a user. */
const post = sampleNoteMarkdown.replace('@', '@\u200B');

/** The query that looks up leads by address. */
export const LOOK_UP =
  'GET /api/v1/Lead?select=id,status,description,accountName,phoneNumber&where[0][type]=equals' +
  '&where[0][attribute]=emailAddress&where[0][value]=ada@example.org&orderBy=createdAt&order=desc&maxSize=10';

export const espocrm: Recording = {
  settings: { provider: 'espocrm', url: 'https://espocrm.example', apiKey: 'espocrm-secret' },
  secret: 'espocrm-secret',
  id: found.id,
  fillable: 'lead',
  checks: ['credentials', 'rights', 'fields'],
  exchanges: [
    {
      call: LOOK_UP,
      record: 'lead',
      answer: list(),
      own: list({ ...found, description: lead.description }),
      full: list({ ...found, description: 'Called.' }),
      bare: list({ ...found, accountName: 'Engines', phoneNumber: null, description: null }),
    },
    { call: 'POST /api/v1/Lead', body: lead, record: 'lead', effect: 'create', answer: [200, { ...found, ...lead }] },
    {
      call: `PUT /api/v1/Lead/${found.id}`,
      body: { phoneNumber: '+431234567' },
      record: 'lead',
      effect: 'fill',
      answer: [200, { ...found, ...lead }],
    },
    {
      call: 'POST /api/v1/Note',
      body: { type: 'Post', parentType: 'Lead', parentId: found.id, post },
      record: 'note',
      effect: 'create',
      answer: [200, { id: 'note1', post }],
    },
    {
      call: `GET /api/v1/Lead/${found.id}/stream?maxSize=20`,
      record: 'note',
      answer: list(),
      own: list({ id: 'note1', post }),
    },
    {
      call: 'GET /api/v1/App/user',
      answer: [200, { acl: { table: { Lead: { create: 'yes', read: 'all', edit: 'all', stream: 'all' } } } }],
    },
    { call: 'GET /api/v1/Metadata?key=entityDefs.Lead.fields', answer: [200, Object.fromEntries(fields)] },
  ],
};
