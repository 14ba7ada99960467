/**
 * Pipedrive as a local server: persons and organizations (v2), leads and notes (v1).
 * Source: Pipedrive's API documentation and SDK types, as summarized in the project's research
 * notes.
 */
import { randomBytes } from 'node:crypto';
import { startFakeCrm, type CrmResponse, type FakeCrm, type LoggedRequest } from './fake-crm.ts';
import {
  followRoute,
  makeRateCounter,
  readMediaType,
  type CrmRoute,
  type RateLimit,
  type RateState,
  type RoutedRequest,
} from './crm-rules.ts';
import {
  respondData,
  respondError,
  createLead,
  createNote,
  createOrganization,
  createPerson,
  refuse,
  showLead,
  showPerson,
  updatePerson,
  type PipedriveAccount,
  type PipedriveLead,
  type PipedriveNote,
  type PipedriveOrganization,
  type PipedrivePerson,
} from './pipedrive-records.ts';
import {
  listArchivedLeads,
  listLeads,
  listNotes,
  searchLeads,
  searchOrganizations,
  searchPersons,
} from './pipedrive-search.ts';

export interface FakePipedriveOptions {
  /** The burst limit; the smallest plan's own is 20 calls in 2 s. */
  readonly rateLimit?: RateLimit;
  /** Number of 429s in a row after which calls are answered with 403 without a code. */
  readonly refusalsBeforeBlock?: number;
  /** Most leads the plan allows; 403 with a `feature_capping_…` code beyond. */
  readonly leadCap?: number;
  /** Keys of custom fields, 40 hexadecimal digits each. */
  readonly personFields?: readonly string[];
  readonly leadFields?: readonly string[];
}

export interface FakePipedrive extends FakeCrm {
  readonly token: string;
  readonly persons: readonly PipedrivePerson[];
  readonly organizations: readonly PipedriveOrganization[];
  readonly leads: readonly PipedriveLead[];
  readonly notes: readonly PipedriveNote[];
  /** As sales does; nothing else changes. */
  deletePerson(id: number): void;
  /** As sales does. */
  archiveLead(id: string): void;
}

const v1 = '^(?:/api)?/v1';
const v2 = '^/api/v2';
/** Switched off on 2026-07-31: v2 has the same. */
const goneObjects = 'persons|organizations|deals|activities|products|pipelines|stages|itemSearch';
const goneInV1 = `(?:/(?:${goneObjects})(?:/.*)?|/leads/search)`;

function readLead(account: PipedriveAccount, { parts }: RoutedRequest): CrmResponse {
  const lead = account.leads.find(({ id }) => id === parts['id']);

  return lead === undefined ? refuse(404, 'Lead not found.') : respondData(200, showLead(lead));
}

function readPerson(account: PipedriveAccount, { parts }: RoutedRequest): CrmResponse {
  const person = account.persons.find(({ id }) => String(id) === parts['id']);

  return person === undefined ? refuse(404, 'Person not found.') : respondData(200, showPerson(person));
}

function listRoutes(account: PipedriveAccount): CrmRoute[] {
  const route = (
    method: string,
    path: string,
    handle: (account: PipedriveAccount, request: RoutedRequest) => CrmResponse,
  ): CrmRoute => ({
    method,
    path: new RegExp(`${path}$`),
    handle: (request) => handle(account, request),
  });
  const gone = () => refuse(410, 'This endpoint is no longer available, use API v2.');

  return [
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) =>
      route(method, v1 + goneInV1, gone),
    ),
    route('GET', `${v2}/persons/search`, searchPersons),
    route('POST', `${v2}/persons`, createPerson),
    route('GET', `${v2}/persons/(?<id>\\d+)`, readPerson),
    route('PATCH', `${v2}/persons/(?<id>\\d+)`, updatePerson),
    route('GET', `${v2}/organizations/search`, searchOrganizations),
    route('POST', `${v2}/organizations`, createOrganization),
    route('GET', `${v2}/leads/search`, searchLeads),
    route('GET', `${v1}/users/me`, () =>
      respondData(200, { id: 1, name: 'Bot', active_flag: true, company_domain: 'example' }),
    ),
    route('POST', `${v1}/leads`, createLead),
    route('GET', `${v1}/leads`, listLeads),
    route('GET', `${v1}/leads/archived`, listArchivedLeads),
    route('GET', `${v1}/leads/(?<id>[0-9a-f-]{36})`, readLead),
    route('POST', `${v1}/notes`, createNote),
    route('GET', `${v1}/notes`, listNotes),
  ];
}

function checkToken({ headers }: LoggedRequest, token: string): void {
  if (headers['x-api-token'] !== token) refuse(401, 'unauthorized access');
}

function checkType(request: LoggedRequest): void {
  if (request.method === 'GET' || readMediaType(request) === 'application/json') return;
  refuse(415, 'Unsupported content type, expected application/json.');
}

/** Responds with 429 and, to a caller who never stops, 403. */
function makeGate(limit: RateLimit, refusalsBeforeBlock: number) {
  const countCall = makeRateCounter(limit);
  let refusals = 0;
  const describe = ({ remaining, waitMs }: RateState) => ({
    'x-ratelimit-limit': String(limit.calls),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(waitMs / 1000)),
  });

  return (): { headers: Record<string, string>; refusal?: CrmResponse } => {
    const state = countCall();
    const headers = describe(state);
    refusals = state.allowed ? 0 : refusals + 1;
    if (state.allowed) return { headers };

    return refusals > refusalsBeforeBlock
      ? { headers, refusal: respondError(403, 'Forbidden') }
      : { headers, refusal: respondError(429, 'Request over limit') };
  };
}

/** Starts a company's account without persons or leads. */
export async function startFakePipedrive(
  options: FakePipedriveOptions = {},
): Promise<FakePipedrive> {
  const { rateLimit = { calls: 20, windowMs: 2000 }, refusalsBeforeBlock = 10 } = options;
  const { leadCap = Infinity, personFields = [], leadFields = [] } = options;
  const token = randomBytes(20).toString('hex');
  const account: PipedriveAccount = {
    persons: [],
    organizations: [],
    leads: [],
    notes: [],
    personFields,
    leadFields,
    leadCap,
  };
  const routes = listRoutes(account);
  const passGate = makeGate(rateLimit, refusalsBeforeBlock);
  const missing = respondError(404, 'Unknown method .');
  const wrongMethod = respondError(405, 'Method not allowed.');

  const crm = await startFakeCrm((request) => {
    checkToken(request, token);
    const { headers, refusal } = passGate();
    if (refusal !== undefined) return { ...refusal, headers: { ...refusal.headers, ...headers } };
    checkType(request);
    const response = followRoute(routes, request, { missing, wrongMethod });

    return { ...response, headers: { ...response.headers, ...headers } };
  });
  const { persons, organizations, leads, notes } = account;
  const deletePerson = (id: number) => {
    persons.splice(persons.findIndex((person) => person.id === id), 1);
  };
  const archiveLead = (id: string) => {
    for (const lead of leads.filter((one) => one.id === id)) lead.isArchived = true;
  };

  return { ...crm, token, persons, organizations, leads, notes, deletePerson, archiveLead };
}
