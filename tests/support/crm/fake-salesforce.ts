/**
 * Salesforce as a local server: the client-credentials login and leads.
 * Source: Salesforce's REST API documentation, as summarized in the project's research notes.
 */
import {
  respondJson,
  startFakeCrm,
  type CrmResponse,
  type CrmJournal,
  type FakeCrm,
  type LoggedRequest,
} from './fake-crm.ts';
import {
  followRoute,
  makeRateCounter,
  readMediaType,
  type CrmRoute,
  type RateLimit,
  type RoutedRequest,
} from './crm-rules.ts';
import {
  addLead,
  respondError,
  changeLead,
  EXTERNAL_ID_LENGTH,
  findLeads,
  readLead,
  refuse,
  requiredFields,
  standardLengths,
  type DuplicateRule,
  type LeadDesk,
  type SalesforceLead,
} from './salesforce-leads.ts';
import { makeLogin } from './salesforce-login.ts';

export interface FakeSalesforceOptions {
  /** The allowance of 24 hours; 403 beyond it. */
  readonly rateLimit?: RateLimit;
  /** The text field that is an external id; `WebLeadId__c` when not given. */
  readonly externalIdField?: string;
  /** Not unique, several leads may share a key, and an upsert of it responds 300. */
  readonly externalIdUnique?: boolean;
  /** Custom fields and their longest values, in characters. */
  readonly customFields?: Readonly<Record<string, number>>;
  readonly duplicateRule?: DuplicateRule;
  /** Puts the records on another address than the login, as Salesforce may. */
  readonly ownInstance?: boolean;
}

export interface FakeSalesforce extends FakeCrm {
  /** Where the records are: `instance_url` of the login's response. */
  readonly instanceUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly leads: readonly SalesforceLead[];
  /** Ends every session, as time or an administrator would. */
  expireTokens(): void;
  /** Makes a contact of a lead, after which it can't be changed. */
  convertLead(id: string): void;
  setDuplicateRule(rule: DuplicateRule): void;
}

const data = '^/services/data/v(?:5[2-9]|6[0-8])\\.0';

function requireKeyField({ externalIdField }: LeadDesk, field: string): void {
  if (field === externalIdField) return;
  const message = `Provided external ID field does not exist or is not accessible: ${field}`;
  refuse(404, 'NOT_FOUND', message);
}

function respondSeveral(leads: readonly SalesforceLead[], { path }: LoggedRequest): CrmResponse {
  const root = path.slice(0, path.indexOf('/sobjects'));

  return respondJson(300, leads.map(({ id }) => `${root}/sobjects/Lead/${id}`));
}

function upsertLead(desk: LeadDesk, request: RoutedRequest): CrmResponse {
  const { field = '', key = '' } = request.parts;
  requireKeyField(desk, field);
  const values = readLead(desk, request);
  if (field in values) {
    const message = `The ${field} field should not be specified in the sobject data.`;
    refuse(400, 'INVALID_FIELD', message, [field]);
  }
  if (key.length > EXTERNAL_ID_LENGTH) {
    const message = `${field}: data value too large: ${key} (max length=${EXTERNAL_ID_LENGTH})`;
    refuse(400, 'STRING_TOO_LONG', message, [field]);
  }
  const found = findLeads(desk, field, key);
  const [lead] = found;
  if (found.length > 1) return respondSeveral(found, request);
  if (lead !== undefined) {
    changeLead(lead, values);

    return respondJson(200, { id: lead.id, success: true, errors: [], created: false });
  }
  if (request.query.get('updateOnly') === 'true') {
    refuse(404, 'NOT_FOUND', 'The requested resource does not exist');
  }
  const { id } = addLead(desk, { ...values, [field]: key }, request);

  return respondJson(201, { id, success: true, errors: [], created: true });
}

function createLead(desk: LeadDesk, request: RoutedRequest): CrmResponse {
  const { id } = addLead(desk, readLead(desk, request), request);

  return respondJson(201, { id, success: true, errors: [] });
}

function showLead({ id, values, converted }: SalesforceLead): object {
  return { attributes: { type: 'Lead' }, Id: id, ...values, IsConverted: converted };
}

function readOne(desk: LeadDesk, request: RoutedRequest): CrmResponse {
  const { field = 'Id', key = '' } = request.parts;
  if (field !== 'Id') requireKeyField(desk, field);
  const found = findLeads(desk, field, key);
  const [lead] = found;
  if (lead === undefined) refuse(404, 'NOT_FOUND', 'The requested resource does not exist');

  return found.length > 1 ? respondSeveral(found, request) : respondJson(200, showLead(lead));
}

function updateOne(desk: LeadDesk, request: RoutedRequest): CrmResponse {
  const [lead] = findLeads(desk, 'Id', request.parts['key'] ?? '');
  if (lead === undefined) refuse(404, 'NOT_FOUND', 'The requested resource does not exist');
  changeLead(lead, readLead(desk, request));

  return { status: 204 };
}

/** Understands only `SELECT … FROM Lead WHERE Field = 'value'`, with a limit or without. */
function queryLeads(desk: LeadDesk, { query }: RoutedRequest): CrmResponse {
  const pattern = /^SELECT [\w, ]+ FROM Lead WHERE (\w+) ?= ?'((?:[^'\\]|\\.)*)'(?: LIMIT \d+)?$/i;
  const [, field = '', value = ''] = pattern.exec(query.get('q') ?? '') ?? [];
  if (field === '') refuse(400, 'MALFORMED_QUERY', 'unexpected token');
  const records = findLeads(desk, field, value.replace(/\\(.)/g, '$1')).map(showLead);

  return respondJson(200, { totalSize: records.length, done: true, records });
}

function describeLead({ lengths, externalIdField, externalIdUnique }: LeadDesk): CrmResponse {
  const fields = [...lengths].map(([name, length]) => ({
    name,
    length,
    type: 'string',
    createable: true,
    updateable: true,
    nillable: !requiredFields.includes(name),
    externalId: name === externalIdField,
    unique: name === externalIdField && externalIdUnique,
  }));

  return respondJson(200, { name: 'Lead', createable: true, updateable: true, fields });
}

function listRoutes(desk: LeadDesk): CrmRoute[] {
  const route = (
    method: string,
    path: string,
    handle: (desk: LeadDesk, request: RoutedRequest) => CrmResponse,
  ): CrmRoute => ({
    method,
    path: new RegExp(`${data}${path}$`),
    handle: (request) => handle(desk, request),
  });
  const keyed = '/sobjects/Lead/(?<field>\\w+)/(?<key>[^/]+)';

  return [
    route('GET', '/query/?', queryLeads),
    route('GET', '/sobjects/Lead/describe/?', describeLead),
    route('POST', '/sobjects/Lead/?', createLead),
    route('PATCH', keyed, upsertLead),
    route('GET', keyed, readOne),
    route('GET', '/sobjects/Lead/(?<key>00Q\\w+)', readOne),
    route('PATCH', '/sobjects/Lead/(?<key>00Q\\w+)', updateOne),
  ];
}

function checkType(request: LoggedRequest): void {
  if (request.method === 'GET' || readMediaType(request) === 'application/json') return;
  refuse(415, 'UNSUPPORTED_MEDIA_TYPE', 'Unsupported content type');
}

function makeDesk(options: FakeSalesforceOptions): LeadDesk {
  const { externalIdField = 'WebLeadId__c', externalIdUnique = true } = options;
  const { customFields = {}, duplicateRule = 'off' } = options;
  const lengths = { ...standardLengths, [externalIdField]: EXTERNAL_ID_LENGTH, ...customFields };

  return {
    leads: [],
    lengths: new Map(Object.entries(lengths)),
    externalIdField,
    externalIdUnique,
    duplicateRule,
  };
}

/** Starts an organization without leads. */
export async function startFakeSalesforce(
  options: FakeSalesforceOptions = {},
): Promise<FakeSalesforce> {
  const desk = makeDesk(options);
  const { rateLimit = { calls: 15_000, windowMs: 86_400_000 } } = options;
  const login = makeLogin();
  const routes = listRoutes(desk);
  const countCall = makeRateCounter(rateLimit);
  const missing = respondError(404, 'NOT_FOUND', 'The requested resource does not exist');
  const wrongMethod = respondError(405, 'METHOD_NOT_ALLOWED', 'HTTP Method not allowed');

  const serveRecords = (request: LoggedRequest): CrmResponse => {
    if (!login.admits(request.headers['authorization'])) {
      return respondError(401, 'INVALID_SESSION_ID', 'Session expired or invalid');
    }
    const { allowed, remaining } = countCall();
    if (!allowed) {
      return respondError(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.');
    }
    checkType(request);
    const response = followRoute(routes, request, { missing, wrongMethod });
    const usage = `api-usage=${rateLimit.calls - remaining}/${rateLimit.calls}`;

    return { ...response, headers: { ...response.headers, 'sforce-limit-info': usage } };
  };
  const journal: CrmJournal = { requests: [], faults: [] };
  const instance = options.ownInstance ? await startFakeCrm(serveRecords, journal) : undefined;
  const crm = await startFakeCrm((request) => {
    if (request.method === 'POST' && request.path === '/services/oauth2/token') {
      return login.issueToken(request, instance?.url ?? crm.url);
    }

    return instance === undefined ? serveRecords(request) : missing;
  }, journal);

  return {
    ...crm,
    instanceUrl: instance?.url ?? crm.url,
    clientId: login.clientId,
    clientSecret: login.clientSecret,
    leads: desk.leads,
    expireTokens: login.expireTokens,
    convertLead: (id) => {
      for (const lead of findLeads(desk, 'Id', id)) lead.converted = true;
    },
    setDuplicateRule: (rule) => {
      desk.duplicateRule = rule;
    },
    close: async () => {
      await instance?.close();
      await crm.close();
    },
  };
}
