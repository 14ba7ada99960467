/**
 * Salesforce's REST API v68.0, based on the REST API Developer Guide (sObject Rows by External ID, sObject Describe)
 * and the OAuth client credentials flow. Not validated: Salesforce publishes no machine-readable description.
 */
import type { Recording } from '../recorded-crm.ts';
import { sampleNoteText, SUBMISSION_ID } from '../sample-lead.ts';

const LEAD = '/services/data/v68.0/sobjects/Lead';
const KEY_PATH = `${LEAD}/WebLeadId__c/${SUBMISSION_ID}`;
const ID = '00Q000000000000001';

/** The fields that the sample lead fills. */
export const leadBody = {
  FirstName: 'Ada King',
  LastName: 'Lovelace',
  Company: 'Sweets & <Sons>',
  Email: 'ada@example.org',
  Phone: '+43 (0)1 234 567',
  Industry: 'Retail & E-commerce',
  LeadSource: 'Web',
  Description: sampleNoteText,
};

const writable = { length: 255, createable: true, updateable: true, externalId: false, unique: false };
/** The Lead fields that the app's user can see. */
export const fields = [
  ...Object.keys(leadBody).map((name) => ({ name, ...writable })),
  { name: 'WebLeadId__c', ...writable, externalId: true, unique: true, length: 36 },
];

export const salesforce: Recording = {
  settings: {
    provider: 'salesforce',
    loginUrl: 'https://mydomain.salesforce.example',
    clientId: '3MVG9',
    clientSecret: 'salesforce-secret',
    externalIdField: 'WebLeadId__c',
  },
  secret: '00D!token',
  id: ID,
  checks: ['credentials', 'rights', 'external id', 'fields'],
  exchanges: [
    {
      call: 'POST /services/oauth2/token',
      body: 'grant_type=client_credentials&client_id=3MVG9&client_secret=salesforce-secret',
      answer: [200, { access_token: '00D!token', instance_url: 'https://instance.salesforce.example', token_type: 'Bearer' }],
    },
    { call: `PATCH ${KEY_PATH}`, body: leadBody, record: 'lead', effect: 'create', answer: [201, { id: ID, success: true, errors: [], created: true }] },
    {
      call: `GET ${KEY_PATH}?fields=Id`,
      record: 'lead',
      answer: [404, [{ errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' }]],
      own: [200, { attributes: { type: 'Lead' }, Id: ID }],
    },
    { call: `GET ${LEAD}/describe`, answer: [200, { name: 'Lead', createable: true, updateable: true, fields }] },
  ],
};
