/**
 * HubSpot as a local server: contacts, their notes and properties.
 * Source: HubSpot's CRM API 2026-03, as summarized in the project's research notes.
 */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import {
  respondJson,
  startFakeCrm,
  type CrmResponse,
  type FakeCrm,
  type LoggedRequest,
} from './fake-crm.ts';
import {
  followRoute,
  makeRateCounter,
  readJson,
  readMediaType,
  type CrmRoute,
  type RateLimit,
  type RateState,
  type RoutedRequest,
} from './crm-rules.ts';
import { respondBadBody, respondError, refuse } from './hubspot-responses.ts';
import {
  createContact,
  eraseContact,
  readContact,
  updateContact,
  upsertContacts,
  type ContactBook,
} from './hubspot-contacts.ts';
import { createNote, showNote } from './hubspot-notes.ts';
import { readRecords, searchRecords } from './hubspot-search.ts';
import { standardProperties, type HubspotNote, type HubspotRecord } from './hubspot-store.ts';

export interface FakeHubspotOptions {
  /** HubSpot's own: 100 calls per 10 s. */
  readonly rateLimit?: RateLimit;
  /** The policy a 429 names. */
  readonly ratePolicy?: 'TEN_SECONDLY_ROLLING' | 'DAILY';
  /** Custom contact properties the account has beside the standard ones. */
  readonly customProperties?: readonly string[];
  /** Custom ones with `hasUniqueValue`; usable as `idProperty`. */
  readonly uniqueProperties?: readonly string[];
  readonly scopes?: readonly string[];
  /** Most associations a page lists; HubSpot's own: 500. */
  readonly pageSize?: number;
}

export interface FakeHubspot extends FakeCrm {
  readonly token: string;
  /** By HubSpot's id. */
  readonly contacts: ReadonlyMap<string, HubspotRecord>;
  readonly notes: readonly HubspotNote[];
}

/** Reports what an app's static token may do; needs no scope itself. */
const TOKEN_INFO = '/oauth/v2/private-apps/get/access-token-info';

const contactScopes = ['crm.objects.contacts.read', 'crm.objects.contacts.write'];
const objects = '^/crm/objects/2026-03';
const properties = '^/crm/properties/2026-03';

function checkAuth({ headers }: LoggedRequest, token: string): void {
  const given = headers['authorization'];
  if (given === undefined) {
    refuse(401, 'INVALID_AUTHENTICATION', 'Authentication credentials not found.');
  }
  if (given !== `Bearer ${token}`) {
    refuse(401, 'INVALID_AUTHENTICATION', 'The access token is not valid.');
  }
}

/** Reading is GET and the two POSTs that only search. */
function needsWrite({ method, path }: LoggedRequest): boolean {
  return method !== 'GET' && !/\/(?:search|batch\/read)(?:\?|$)/.test(path);
}

function checkScopes(request: LoggedRequest, scopes: readonly string[]): void {
  if (request.path === TOKEN_INFO) return;
  const needed = `crm.objects.contacts.${needsWrite(request) ? 'write' : 'read'}`;
  if (scopes.includes(needed)) return;
  const message = "This app hasn't been granted all required scopes to make this call.";
  const context = { requiredGranularScopes: [needed] };
  refuse(403, 'MISSING_SCOPES', message, {
    errors: [{ message: 'One or more of the following scopes are required.', context }],
  });
}

function checkType(request: LoggedRequest): void {
  if (request.method === 'GET' || readMediaType(request) === 'application/json') return;
  refuse(415, 'VALIDATION_ERROR', 'Media type must be application/json.');
}

function describeRate({ calls, windowMs }: RateLimit, { remaining }: RateState) {
  return {
    'x-hubspot-ratelimit-max': String(calls),
    'x-hubspot-ratelimit-remaining': String(remaining),
    'x-hubspot-ratelimit-interval-milliseconds': String(windowMs),
  };
}

function respondOverLimit(policyName: string, headers: Record<string, string>): CrmResponse {
  const message = `You have reached your ${policyName.toLowerCase()} limit.`;
  const response = respondError(429, 'RATE_LIMITS', message, { errorType: 'RATE_LIMIT', policyName });

  return { ...response, headers: { ...response.headers, ...headers } };
}

function listProperties(book: ContactBook): object[] {
  return book.known.map((name) => ({
    name,
    type: 'string',
    hasUniqueValue: book.unique.includes(name),
  }));
}

/** One page of a list, and how to ask for the next one. */
function respondPage(ids: readonly string[], query: URLSearchParams, pageSize: number) {
  const start = Number(query.get('after') ?? 0);
  const end = start + Math.min(pageSize, Number(query.get('limit') ?? pageSize));

  return {
    page: ids.slice(start, end),
    ...(end < ids.length ? { paging: { next: { after: String(end) } } } : {}),
  };
}

function respondTokenInfo(request: RoutedRequest, token: string, scopes: readonly string[]) {
  const body = readJson(request, v.strictObject({ tokenKey: v.string() }), respondBadBody);
  if (body.tokenKey !== token) refuse(404, 'OBJECT_NOT_FOUND', 'resource not found');

  return respondJson(200, { userId: 1, hubId: 2, appId: 3, scopes });
}

function listRoutes(book: ContactBook, notes: HubspotNote[], pageSize: number): CrmRoute[] {
  const noteIds = (id: string) =>
    notes.filter(({ contactId }) => contactId === id).map((note) => note.id);
  const searchableNotes = () =>
    notes.map((note) => ({
      record: showNote(note),
      extra: { 'associations.contact': note.contactId },
    }));
  const readProperty = ({ parts }: RoutedRequest) =>
    book.known.includes(parts['name'] ?? '')
      ? respondJson(200, { name: parts['name'], type: 'string' })
      : refuse(404, 'OBJECT_NOT_FOUND', `Property "${parts['name']}" does not exist`);
  const readNote = ({ parts }: RoutedRequest) => {
    const note = notes.find(({ id }) => id === parts['id']);

    return note === undefined
      ? refuse(404, 'OBJECT_NOT_FOUND', 'resource not found')
      : respondJson(200, showNote(note));
  };
  const listNotes = ({ parts, query }: RoutedRequest) => {
    const show = (id: string) => ({ toObjectId: Number(id) });
    const { page, ...paging } = respondPage(noteIds(parts['id'] ?? ''), query, pageSize);

    return respondJson(200, { results: page.map(show), ...paging });
  };
  const route = (method: string, path: string, handle: CrmRoute['handle']): CrmRoute => ({
    method,
    path: new RegExp(`${path}$`),
    handle,
  });
  const contacts = () => [...book.contacts.values()];

  return [
    route('POST', `${objects}/contacts/batch/upsert`, (request) => upsertContacts(book, request)),
    route('POST', `${objects}/contacts/batch/read`, (request) => readRecords(contacts(), request)),
    route('POST', `${objects}/contacts/gdpr-delete`, (request) => eraseContact(book, request)),
    route('POST', `${objects}/contacts/search`, (request) =>
      searchRecords(contacts().map((record) => ({ record })), request),
    ),
    route('POST', `${objects}/contacts`, (request) => createContact(book, request)),
    route('GET', `${objects}/contacts`, ({ query }) =>
      respondJson(200, { results: contacts().slice(0, Number(query.get('limit') ?? 10)) }),
    ),
    route('GET', `${objects}/contacts/(?<id>[^/]+)`, (request) =>
      readContact(book, request, noteIds),
    ),
    route('PATCH', `${objects}/contacts/(?<id>[^/]+)`, (request) => updateContact(book, request)),
    route('GET', `${objects}/contacts/(?<id>[^/]+)/associations/notes?`, listNotes),
    route('POST', `${objects}/notes`, (request) => createNote(book, notes, request)),
    route('POST', `${objects}/notes/search`, (request) =>
      searchRecords(searchableNotes(), request),
    ),
    route('POST', `${objects}/notes/batch/read`, (request) =>
      readRecords(notes.map(showNote), request),
    ),
    route('GET', `${objects}/notes/(?<id>[^/]+)`, readNote),
    route('GET', `${properties}/contacts?`, () =>
      respondJson(200, { results: listProperties(book) }),
    ),
    route('GET', `${properties}/contacts?/(?<name>[^/]+)`, readProperty),
  ];
}

/** Starts an account without contacts. */
export async function startFakeHubspot(options: FakeHubspotOptions = {}): Promise<FakeHubspot> {
  const { rateLimit = { calls: 100, windowMs: 10_000 }, scopes = contactScopes } = options;
  const { customProperties = [], uniqueProperties = [], pageSize = 500 } = options;
  const token = `pat-eu1-${randomUUID()}`;
  const book: ContactBook = {
    contacts: new Map(),
    known: [...standardProperties, ...customProperties, ...uniqueProperties],
    unique: ['email', ...uniqueProperties],
  };
  const notes: HubspotNote[] = [];
  const routes: CrmRoute[] = [
    ...listRoutes(book, notes, pageSize),
    {
      method: 'POST',
      path: new RegExp(`^${TOKEN_INFO}$`),
      handle: (request) => respondTokenInfo(request, token, scopes),
    },
  ];
  const countCall = makeRateCounter(rateLimit);
  const missing = respondError(404, 'OBJECT_NOT_FOUND', 'resource not found');
  const wrongMethod = respondError(405, 'VALIDATION_ERROR', 'Method not allowed');

  const crm = await startFakeCrm((request) => {
    checkAuth(request, token);
    const state = countCall();
    const rateHeaders = describeRate(rateLimit, state);
    if (!state.allowed) {
      return respondOverLimit(options.ratePolicy ?? 'TEN_SECONDLY_ROLLING', rateHeaders);
    }
    checkScopes(request, scopes);
    checkType(request);
    const response = followRoute(routes, request, { missing, wrongMethod });

    return { ...response, headers: { ...response.headers, ...rateHeaders } };
  });

  return { ...crm, token, contacts: book.contacts, notes };
}
