/**
 * EspoCRM as a local server: leads, posts in their stream, and what the API user may do.
 * Source: EspoCRM's API documentation and the behavior of its version 10, as summarized in the
 * project's research notes.
 */
import { randomBytes } from 'node:crypto';
import {
  Refusal,
  startFakeCrm,
  type CrmResponse,
  type FakeCrm,
  type LoggedRequest,
} from './fake-crm.ts';
import { followRoute, type CrmRoute, type RoutedRequest } from './crm-rules.ts';
import {
  customField,
  refuse,
  respondError,
  standardFields,
  type EspocrmLead,
  type EspocrmValues,
} from './espocrm-fields.ts';
import {
  addLead,
  createLead,
  listLeads,
  makeId,
  readBody,
  readLead,
  respondValue,
  showTime,
  updateLead,
  type EspocrmRights,
  type LeadDesk,
} from './espocrm-leads.ts';

export interface FakeEspocrmOptions {
  /** 10 when not given. Version 8 doesn't know the query's names `whereGroup` and `attributeSelect`. */
  readonly majorVersion?: number;
  /** Text fields of leads the customer has added, such as `cWebLeadRef`; 100 characters at most. */
  readonly customFields?: readonly string[];
  /** Fields of leads an administrator requires; none of the standard ones is. */
  readonly requiredFields?: readonly string[];
  /** What the API user's role allows with leads; `none` leaves them out of its rights. All but deleting when not given. */
  readonly rights?: Partial<EspocrmRights> | 'none';
  /** Fields the role may not write: what is sent for them is lost without a word. */
  readonly readOnlyFields?: readonly string[];
  /** Fields the role may neither read nor write nor search. */
  readonly hiddenFields?: readonly string[];
  /** Phone numbers need not be E.164, as before 8.1 or where the administrator chose so. */
  readonly acceptsLoosePhones?: boolean;
}

interface EspocrmNote extends EspocrmValues {
  readonly id: string;
  readonly parentId: string;
  readonly post: string;
  /** Those whom the post notifies, if there are users of these names. */
  readonly mentions: readonly string[];
}

export interface FakeEspocrm extends FakeCrm {
  readonly apiKey: string;
  readonly leads: readonly EspocrmLead[];
  /** Posts in the streams of leads. */
  readonly notes: readonly EspocrmNote[];
  /** Adds a lead as a person of sales does, who may skip all checks; returns its id. */
  addLead(values: EspocrmValues): string;
  /** Deletes a lead as a person of sales does. */
  deleteLead(id: string): void;
  /** Makes the key invalid, as an administrator does with a new one. */
  revokeKey(): void;
}

/** More failed logins than this within the period, and even the right key gets 403. */
const MOST_FAILURES = 10;
const FAILURE_PERIOD = 60_000;
const root = '/api/v1';

/** Apache's, for what is not of the API. */
const notFoundPage: CrmResponse = {
  status: 404,
  headers: { 'content-type': 'text/html; charset=iso-8859-1' },
  body: '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head><title>404 Not Found</title>\n',
};

/** Checks the key of each request; counts failures of what sends one. */
function makeLogin() {
  const failures: number[] = [];

  return ({ method, headers }: LoggedRequest, key: string | undefined): void => {
    const given = headers['x-api-key'];
    if (given === undefined) {
      const asks = method === 'POST' ? {} : { 'www-authenticate': 'Basic realm=""' };
      const response = respondError(401);
      throw new Refusal({ ...response, headers: { ...response.headers, ...asks } });
    }
    const now = Date.now();
    if (failures.filter((at) => at > now - FAILURE_PERIOD).length > MOST_FAILURES) {
      refuse(403, 'Max failed login attempts exceeded for IP address 127.0.0.1.');
    }
    if (given === key) return;
    failures.push(now);
    refuse(401);
  };
}

/**
 * What `App/user` tells: the user, the rights in every scope, and much besides. It is as large as that
 * of an account with some entities of its own: more than 64 KiB.
 */
function describeUser(desk: LeadDesk, hasLeads: boolean): object {
  const others = Array.from({ length: 240 }, (_none, index) => `CustomEntity${index}`);
  const scopes = hasLeads ? ['Lead', ...others] : others;
  const noRights = { create: 'no', read: 'no', edit: 'no', delete: 'no', stream: 'no' };
  const leadRights = { ...desk.rights, delete: 'no', stream: 'all' };
  const levels = () => ({ read: { yes: [], no: [] }, edit: { yes: [], no: [] } });
  const ofScopes = (describe: (scope: string) => unknown) =>
    Object.fromEntries(scopes.map((scope) => [scope, describe(scope)]));
  const { readOnly } = desk.check;
  const leadFields = readOnly.map((name) => {
    const read = desk.hidden.includes(name) ? 'no' : 'yes';

    return [name, { read, edit: 'no' }] as const;
  });

  return {
    user: { id: desk.userId, userName: 'website', type: 'api', isActive: true, deleted: false },
    acl: {
      table: ofScopes((scope) => (scope === 'Lead' ? leadRights : noRights)),
      fieldTable: ofScopes((scope) => (scope === 'Lead' ? Object.fromEntries(leadFields) : {})),
      assignmentPermission: 'no',
      fieldTableQuickAccess: ofScopes(() => ({ attributes: levels(), fields: levels() })),
    },
    preferences: {},
    token: null,
    settings: { phoneNumberInternational: desk.check.isInternational },
    language: 'en_US',
    appParams: { timeZoneList: Intl.supportedValuesOf('timeZone') },
  };
}

/** The definitions of leads' fields, as far as a key of `Metadata` leads to them; nothing for other keys. */
function describeFields(desk: LeadDesk, key: string): CrmResponse {
  const fields = Object.entries(desk.check.rules).map(([name, { kind, ...rule }]) => {
    const required = desk.check.required.includes(name);

    return [name, { type: kind, required, ...rule }] as const;
  });
  const known = { entityDefs: { Lead: { fields: Object.fromEntries(fields) } } };
  let value: unknown = known;
  for (const part of key === '' ? [] : key.split('.')) {
    value = (value as Record<string, unknown> | undefined)?.[part];
  }

  return value === undefined ? { status: 200 } : respondValue(value);
}

/** Adds a post to a lead's stream, a new one with every call. */
function createNote(desk: LeadDesk, notes: EspocrmNote[], request: RoutedRequest): CrmResponse {
  const { type = 'Post', parentType, parentId, post } = readBody(request);
  const parent = desk.leads.find(({ id }) => id === parentId);
  if (parentType !== 'Lead' || parent === undefined) refuse(403, 'No access to parent.');
  if (type !== 'Post') refuse(403, "Only 'Post' type allowed.");
  const text = typeof post === 'string' ? post : '';
  const made = { createdAt: showTime(), createdById: desk.userId };
  const mentions = text.match(/@[\w@.-]+/g) ?? [];
  const note = { id: makeId(), type, parentType, parentId: parent.id, post: text, mentions, ...made };
  notes.push(note);

  return respondValue(note);
}

function listNotes(desk: LeadDesk, notes: readonly EspocrmNote[], id: string): CrmResponse {
  if (!desk.leads.some((lead) => lead.id === id)) refuse(404);
  const list = notes.filter(({ parentId }) => parentId === id).reverse();

  return respondValue({ total: list.length, list });
}

function listRoutes(desk: LeadDesk, notes: EspocrmNote[], hasLeads: boolean): CrmRoute[] {
  const route = (method: string, path: string, handle: CrmRoute['handle']): CrmRoute => ({
    method,
    path: new RegExp(`^${root}/${path}$`),
    handle,
  });
  const one = 'Lead/(?<id>[^/]+)';

  return [
    route('GET', 'App/user', () => respondValue(describeUser(desk, hasLeads))),
    route('GET', 'Metadata', ({ query }) => describeFields(desk, query.get('key') ?? '')),
    route('POST', 'Lead', (request) => createLead(desk, request)),
    route('GET', 'Lead', (request) => listLeads(desk, request)),
    route('GET', one, (request) => readLead(desk, request)),
    route('PUT', one, (request) => updateLead(desk, request)),
    route('PATCH', one, (request) => updateLead(desk, request)),
    route('DELETE', one, () => refuse(403, 'No delete access.')),
    route('GET', `${one}/stream`, ({ parts }) => listNotes(desk, notes, parts['id'] ?? '')),
    route('POST', 'Note', (request) => createNote(desk, notes, request)),
  ];
}

function makeDesk(options: FakeEspocrmOptions): LeadDesk {
  const { customFields = [], requiredFields = [], readOnlyFields = [], hiddenFields = [] } = options;
  const { majorVersion = 10, rights = {}, acceptsLoosePhones = false } = options;
  const custom = Object.fromEntries(customFields.map((name) => [name, customField]));
  const all = { create: 'yes', read: 'all', edit: 'all' } as const;
  const none = { create: 'no', read: 'no', edit: 'no' } as const;

  return {
    leads: [],
    check: {
      rules: { ...standardFields, ...custom },
      required: requiredFields,
      readOnly: [...readOnlyFields, ...hiddenFields],
      isInternational: !acceptsLoosePhones,
    },
    rights: rights === 'none' ? none : { ...all, ...rights },
    hidden: hiddenFields,
    majorVersion,
    userId: makeId(),
  };
}

/** Starts an EspoCRM without leads; `${url}` is what a browser opens, the API is below it. */
export async function startFakeEspocrm(options: FakeEspocrmOptions = {}): Promise<FakeEspocrm> {
  const apiKey = randomBytes(16).toString('hex');
  let validKey: string | undefined = apiKey;
  const desk = makeDesk(options);
  const notes: EspocrmNote[] = [];
  const routes = listRoutes(desk, notes, options.rights !== 'none');
  const checkKey = makeLogin();

  const crm = await startFakeCrm((request) => {
    if (!request.path.startsWith(`${root}/`)) return notFoundPage;
    checkKey(request, validKey);
    const [, controller = ''] = /^\/api\/v1\/([^/?]*)/.exec(request.path) ?? [];
    const missing = respondError(404, `Controller '${controller}' does not exist.`);

    return followRoute(routes, request, { missing, wrongMethod: respondError(405) });
  });

  return {
    ...crm,
    apiKey,
    leads: desk.leads,
    notes,
    addLead: (values) => addLead(desk, values, makeId()).id,
    deleteLead: (id) => {
      desk.leads.splice(desk.leads.findIndex((lead) => lead.id === id), 1);
    },
    revokeKey: () => {
      validKey = undefined;
    },
  };
}
