/**
 * Twenty as a local server: people, companies, notes and what links these, over REST.
 * Source: Twenty's API documentation and the tests of its REST API, as summarized in the project's
 * research notes.
 */
import { randomUUID } from 'node:crypto';
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
  type CrmRoute,
  type RateLimit,
  type RoutedRequest,
} from './crm-rules.ts';
import { refuse, type TwentyObject, type TwentyRecord } from './twenty-fields.ts';
import {
  createMany,
  createOne,
  deleteOne,
  findMany,
  findOne,
  updateOne,
  type Workspace,
} from './twenty-records.ts';

export interface FakeTwentyOptions {
  /** Twenty's own: 100 calls in 60 s, of the whole workspace. */
  readonly rateLimit?: RateLimit;
  /** `personId` and `companyId` in older builds, `targetPersonId` and `targetCompanyId` when not given. */
  readonly noteTargetFields?: 'old' | 'new';
  /** Text fields of people the customer has added, such as `webLeadId`. */
  readonly personFields?: readonly string[];
  /** Those of them that no two people may share. */
  readonly uniquePersonFields?: readonly string[];
  /** What the key's role may not do, as `people/read`, `notes/create` or `people/update`. */
  readonly forbidden?: readonly string[];
  /** How such a call is refused: 400 when not given, as most builds do. */
  readonly forbiddenStatus?: 400 | 403;
}

export interface FakeTwenty extends FakeCrm {
  readonly apiKey: string;
  readonly people: readonly TwentyRecord[];
  readonly companies: readonly TwentyRecord[];
  readonly notes: readonly TwentyRecord[];
  readonly noteTargets: readonly TwentyRecord[];
  /** Puts a record into the bin, as a person of sales does. */
  binRecord(id: string): void;
  /** Ends the key's life, as its last day does. */
  expireKey(): void;
  /** Revokes the key, as an administrator does. */
  revokeKey(): void;
}

const schemaBulk = 1024 * 1024;

const systemFields = { id: 'id', position: 'number' } as const;

function makeWorkspace(options: FakeTwentyOptions): Workspace {
  const { personFields = [], uniquePersonFields = [], noteTargetFields = 'new' } = options;
  const custom = [...personFields, ...uniquePersonFields].map((name) => [name, 'text'] as const);
  const [person, company] =
    noteTargetFields === 'new' ? ['targetPersonId', 'targetCompanyId'] : ['personId', 'companyId'];
  const people: TwentyObject = {
    singular: 'person',
    plural: 'people',
    fields: {
      ...systemFields,
      name: 'name',
      emails: 'emails',
      phones: 'phones',
      linkedinLink: 'links',
      xLink: 'links',
      jobTitle: 'text',
      city: 'text',
      avatarUrl: 'text',
      companyId: 'id',
      ...Object.fromEntries(custom),
    },
    unique: ['emails.primaryEmail', ...uniquePersonFields],
    relations: { companyId: 'companies' },
    records: [],
  };
  const companies: TwentyObject = {
    singular: 'company',
    plural: 'companies',
    fields: {
      ...systemFields,
      name: 'text',
      domainName: 'links',
      linkedinLink: 'links',
      xLink: 'links',
      employees: 'number',
    },
    unique: ['domainName.primaryLinkUrl'],
    relations: {},
    records: [],
  };
  const notes: TwentyObject = {
    singular: 'note',
    plural: 'notes',
    fields: { ...systemFields, title: 'text', bodyV2: 'richText' },
    unique: [],
    relations: {},
    records: [],
  };
  const noteTargets: TwentyObject = {
    singular: 'noteTarget',
    plural: 'noteTargets',
    fields: { ...systemFields, noteId: 'id', [person]: 'id', [company]: 'id' },
    unique: [],
    relations: { noteId: 'notes', [person]: 'people', [company]: 'companies' },
    records: [],
  };
  const objects = [people, companies, notes, noteTargets].map((one) => [one.plural, one] as const);

  return { objects: new Map(objects) };
}

/** An API key has the form of a JSON Web Token. */
function makeKey(): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  return [{ alg: 'HS256', typ: 'JWT' }, { type: 'API_KEY', jti: randomUUID() }, {}].map(encode).join('.');
}

function listRoutes(
  workspace: Workspace,
  { forbidden = [], forbiddenStatus = 400 }: FakeTwentyOptions,
): CrmRoute[] {
  const route = (
    method: string,
    path: string,
    operation: string,
    handle: (workspace: Workspace, request: RoutedRequest) => CrmResponse,
  ): CrmRoute => ({
    method,
    path: new RegExp(`^/rest/${path}$`),
    handle: (request) => {
      if (forbidden.includes(`${request.parts['object']}/${operation}`)) {
        const message = 'Entity performing the request does not have permission';
        refuse(forbiddenStatus, message, 'PermissionsException');
      }

      return handle(workspace, request);
    },
  });
  const many = '(?<object>\\w+)';
  const one = `${many}/(?<id>[^/]+)`;

  return [
    route('POST', `batch/${many}`, 'create', createMany),
    route('POST', many, 'create', createOne),
    route('GET', many, 'read', findMany),
    route('GET', one, 'read', findOne),
    route('PATCH', one, 'update', updateOne),
    route('PUT', one, 'update', updateOne),
    route('DELETE', one, 'delete', deleteOne),
  ];
}

/**
 * The description of the API: as large as a real one, and for a key that is not valid a description of
 * nothing instead of a refusal.
 */
function describeApi({ objects }: Workspace, isKeyValid: boolean): CrmResponse {
  const head = { openapi: '3.1.1', info: { title: 'Twenty Api', version: '1.0.0' } };
  if (!isKeyValid) return respondJson(200, { ...head, paths: {} });
  const schemas = [...objects.values()].map(({ singular, fields }) => {
    const properties = Object.fromEntries(Object.keys(fields).map((field) => [field, { type: 'string' }]));

    return [singular.charAt(0).toUpperCase() + singular.slice(1), { type: 'object', properties }] as const;
  });
  const paths = { '/': { description: ' '.repeat(schemaBulk) } };

  return respondJson(200, { ...head, paths, components: { schemas: Object.fromEntries(schemas) } });
}

type KeyState = 'valid' | 'expired' | 'revoked';

function checkKey({ headers }: LoggedRequest, apiKey: string, state: KeyState): void {
  const [, given] = /^bearer (\S+)$/i.exec(headers['authorization'] ?? '') ?? [];
  if (given === undefined) refuse(403, 'Missing authentication token', 'FORBIDDEN_EXCEPTION');
  if (given !== apiKey) refuse(401, 'Token invalid.', 'UNAUTHENTICATED');
  if (state === 'expired') refuse(401, 'Token has expired.', 'UNAUTHENTICATED');
  if (state === 'revoked') refuse(403, 'This API Key is revoked', 'FORBIDDEN_EXCEPTION');
}

function respondOverLimit({ calls, windowMs }: RateLimit, waitMs: number): CrmResponse {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);

  return respondJson(429, {
    statusCode: 429,
    error: 'ThrottlerException',
    messages: [`Limit reached (${calls} tokens per ${windowMs} ms)`],
    retryAfterSeconds,
  });
}

/** Starts a workspace without records. */
export async function startFakeTwenty(options: FakeTwentyOptions = {}): Promise<FakeTwenty> {
  const { rateLimit = { calls: 100, windowMs: 60_000 } } = options;
  const workspace = makeWorkspace(options);
  const apiKey = makeKey();
  let state: KeyState = 'valid';
  const routes = listRoutes(workspace, options);
  const countCall = makeRateCounter(rateLimit);
  const missing = respondJson(404, {
    statusCode: 404,
    message: 'Cannot find this path',
    error: 'Not Found',
  });

  const crm = await startFakeCrm((request) => {
    if (/^\/rest\/open-api\/core(\?|$)/.test(request.path)) {
      const isKeyValid = request.headers['authorization'] === `Bearer ${apiKey}` && state === 'valid';

      return describeApi(workspace, isKeyValid);
    }
    if (!request.path.startsWith('/rest/')) return missing;
    checkKey(request, apiKey, state);
    const { allowed, waitMs } = countCall();
    if (!allowed) return respondOverLimit(rateLimit, waitMs);
    const { objects } = workspace;
    const examples = `Valid examples: /rest/companies/id or ${[...objects.keys()].map((path) => `/rest/${path}`).join(', ')}`;
    const wrongPath = { statusCode: 400, error: 'BadRequestException', messages: [`Query path invalid. ${examples}`] };

    return followRoute(routes, request, { missing: respondJson(400, wrongPath), wrongMethod: missing });
  });
  const read = (path: string) => workspace.objects.get(path)?.records ?? [];

  return {
    ...crm,
    apiKey,
    people: read('people'),
    companies: read('companies'),
    notes: read('notes'),
    noteTargets: read('noteTargets'),
    binRecord: (id) => {
      for (const { records } of workspace.objects.values()) {
        const record = records.find((one) => one.id === id);
        if (record !== undefined) record.deletedAt = new Date().toISOString();
      }
    },
    expireKey: () => {
      state = 'expired';
    },
    revokeKey: () => {
      state = 'revoked';
    },
  };
}
