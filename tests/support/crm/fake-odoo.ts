/**
 * Odoo as a local server: leads, tags and the UTM lists by JSON-2, or before version 19 by JSON-RPC, and
 * the version.
 * Source: Odoo's external API documentation, as summarized in the project's research notes.
 */
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import {
  followRoute,
  readJson,
  readMediaType,
  type CrmRoute,
  type RoutedRequest,
} from './crm-rules.ts';
import {
  respondJson,
  startFakeCrm,
  type CrmResponse,
  type FakeCrm,
  type LoggedRequest,
} from './fake-crm.ts';
import { respondError, notFoundPage, refuse } from './odoo-responses.ts';
import { domain, findRecords } from './odoo-domain.ts';
import { makeJsonRpcRoute } from './odoo-rpc.ts';
import type { OdooMessage } from './odoo-rpc-methods.ts';
import {
  createRecords,
  findByIds,
  makeDatabase,
  requireField,
  showRecord,
  USER_ID,
  writeRecords,
  type OdooDatabase,
  type OdooRecord,
  type Target,
} from './odoo-models.ts';

export interface FakeOdooOptions {
  /** 19 when not given; from then on there are JSON-2 and /web/version, before JSON-RPC. */
  readonly majorVersion?: number;
  /** The host does not decide the database: every call has to name it. */
  readonly severalDatabases?: boolean;
  /** Text fields of crm.lead the customer has added, such as `x_web_lead_ref`. */
  readonly customFields?: readonly string[];
  /** What the key's user may not do, as `model/method`. */
  readonly forbidden?: readonly string[];
  /** When the user's key expires, such as `2027-02-10 00:00:00`; not reported when not given. */
  readonly keyEnd?: string;
  /** The CRM is installed; true when not given. */
  readonly hasCrm?: boolean;
  /** The user sees leads beside opportunities; true when not given. JSON-RPC only. */
  readonly usesLeads?: boolean;
}

export interface FakeOdoo extends FakeCrm {
  readonly apiKey: string;
  /** The user's, which JSON-RPC asks for. */
  readonly login: string;
  readonly database: string;
  /** What was posted on records by JSON-RPC. */
  readonly messages: readonly OdooMessage[];
  readonly leads: readonly OdooRecord[];
  readonly tags: readonly OdooRecord[];
  readonly sources: readonly OdooRecord[];
  readonly mediums: readonly OdooRecord[];
  readonly campaigns: readonly OdooRecord[];
  /** Ends the key's life, as three months do. */
  expireKey(): void;
}

const FIRST_WITH_JSON_2 = 19;
const LOGIN = 'website@odoo.example';
const values = v.record(v.string(), v.unknown());
const ids = v.array(v.pipe(v.number(), v.integer()));
const names = v.array(v.string());
const context = v.optional(values);
const page = {
  offset: v.optional(v.number()),
  limit: v.optional(v.number()),
  order: v.optional(v.string()),
};

/** Reads named arguments; others than those of the method are refused. */
function readArguments<const Schema extends v.GenericSchema>(sent: string, schema: Schema) {
  const refuseArguments = (reason: string, field: string) =>
    respondError(422, 'werkzeug.exceptions.UnprocessableEntity', `${field}: ${reason}`, sent);

  return (request: LoggedRequest) => readJson(request, schema, refuseArguments);
}

const methods: Record<string, (target: Target, request: LoggedRequest) => unknown> = {
  search_read: (target, request) => {
    const schema = v.strictObject({ domain, fields: v.optional(names), ...page, context });
    const asked = readArguments(target.sent, schema)(request);
    const { fields = Object.keys(target.model.fields), offset = 0, limit = Infinity } = asked;
    for (const field of fields) requireField(target, field);

    return findRecords(target, asked.domain, asked.context)
      .slice(offset, offset + limit)
      .map((record) => showRecord(target, record, fields));
  },
  search: (target, request) => {
    const schema = v.strictObject({ domain, ...page, context });
    const asked = readArguments(target.sent, schema)(request);
    const { offset = 0, limit = Infinity } = asked;

    return findRecords(target, asked.domain, asked.context)
      .slice(offset, offset + limit)
      .map(({ id }) => id);
  },
  search_count: (target, request) => {
    const schema = v.strictObject({ domain, limit: v.optional(v.number()), context });
    const asked = readArguments(target.sent, schema)(request);

    return findRecords(target, asked.domain, asked.context).length;
  },
  read: (target, request) => {
    const schema = v.strictObject({ ids, fields: v.optional(names), context });
    const asked = readArguments(target.sent, schema)(request);
    const { fields = Object.keys(target.model.fields) } = asked;
    for (const field of fields) requireField(target, field);

    return findByIds(target, asked.ids).map((record) => showRecord(target, record, fields));
  },
  create: (target, request) => {
    const schema = v.strictObject({ vals_list: v.array(values), context });

    return createRecords(target, readArguments(target.sent, schema)(request).vals_list);
  },
  write: (target, request) => {
    const schema = v.strictObject({ ids, vals: values, context });
    const { ids: asked, vals } = readArguments(target.sent, schema)(request);
    writeRecords(target, asked, vals);

    return true;
  },
  fields_get: ({ model, sent }, request) => {
    const schema = v.strictObject({
      allfields: v.optional(names),
      attributes: v.optional(names),
      context,
    });
    const { allfields = Object.keys(model.fields) } = readArguments(sent, schema)(request);
    const known = allfields.filter((field) => field in model.fields);

    const describe = (field: string) => ({ required: model.required.includes(field) });

    return Object.fromEntries(known.map((field) => [field, describe(field)]));
  },
};

const accessQuestion = v.strictObject({
  operation: v.picklist(['read', 'write', 'create', 'unlink']),
  context,
});

function callMethod(
  database: OdooDatabase,
  forbidden: readonly string[],
  request: RoutedRequest,
): CrmResponse {
  const { model: modelName = '', method = '' } = request.parts;
  const { body: sent } = request;
  if (modelName === 'res.users' && method === 'context_get') {
    return respondJson(200, { uid: USER_ID });
  }
  if (modelName === 'res.users' && method === 'has_group') {
    readArguments(sent, v.strictObject({ ids: v.tuple([v.literal(USER_ID)]), group_ext_id: v.string() }))(request);

    return respondJson(200, !forbidden.includes('res.users/has_group'));
  }
  const model = database.get(modelName);
  if (model !== undefined && method === 'has_access') {
    const { operation } = readArguments(sent, accessQuestion)(request);

    return respondJson(200, !forbidden.includes(`${modelName}/${operation}`));
  }
  const call = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (model === undefined) {
    refuse(404, 'werkzeug.exceptions.NotFound', `the model '${modelName}' does not exist`, sent);
  }
  if (call === undefined) {
    const message = `the method '${modelName}.${method}' does not exist`;
    refuse(404, 'werkzeug.exceptions.NotFound', message, sent);
  }
  if (forbidden.includes(`${modelName}/${method}`)) {
    const message = `You are not allowed to ${method} '${modelName}' records.`;
    refuse(403, 'odoo.exceptions.AccessError', message, sent);
  }

  return respondJson(200, call({ database, modelName, model, sent }, request));
}

function checkKey({ headers, body }: LoggedRequest, apiKey: string | undefined): void {
  const [scheme, key] = (headers['authorization'] ?? '').split(' ');
  if (scheme?.toLowerCase() === 'bearer' && key !== undefined && key === apiKey) return;
  refuse(401, 'werkzeug.exceptions.Unauthorized', 'Invalid apikey', body);
}

function checkType(request: LoggedRequest): void {
  if (readMediaType(request) === 'application/json') return;
  const message = 'Request inferred type is not compatible with application/json';
  refuse(415, 'werkzeug.exceptions.UnsupportedMediaType', message, request.body);
}

/** Starts a database without leads. */
export async function startFakeOdoo(options: FakeOdooOptions = {}): Promise<FakeOdoo> {
  const { majorVersion = 19, customFields = [], forbidden = [], keyEnd } = options;
  const name = 'praline';
  const apiKey = randomBytes(20).toString('hex');
  let validKey: string | undefined = apiKey;
  const database = makeDatabase(customFields, keyEnd, options.hasCrm);
  const versionInfo = [majorVersion, 0, 0, 'final', 0, ''];
  const json2: CrmRoute = {
    method: 'POST',
    path: /^\/json\/2\/(?<model>[\w.]+)\/(?<method>\w+)$/,
    handle: (request) => {
      const named = request.headers['x-odoo-database'];
      const found = named === undefined ? !options.severalDatabases : named === name;
      if (!found) return notFoundPage;
      checkKey(request, validKey);
      checkType(request);

      return callMethod(database, forbidden, request);
    },
  };
  const web: CrmRoute = {
    method: 'GET',
    path: /^\/web\/version$/,
    handle: () => respondJson(200, { version: `${majorVersion}.0`, version_info: versionInfo }),
  };
  const messages: OdooMessage[] = [];
  const jsonRpc = makeJsonRpcRoute({
    database,
    databaseName: name,
    login: LOGIN,
    getKey: () => validKey,
    majorVersion,
    forbidden,
    usesLeads: options.usesLeads ?? true,
    messages,
  });
  const routes = majorVersion < FIRST_WITH_JSON_2 ? [jsonRpc] : [web, json2];
  const wrongMethod = { ...notFoundPage, status: 405 };
  const crm = await startFakeCrm((request) =>
    followRoute(routes, request, { missing: notFoundPage, wrongMethod }),
  );
  const readRecords = (model: string) => database.get(model)?.records ?? [];

  return {
    ...crm,
    apiKey,
    login: LOGIN,
    database: name,
    messages,
    leads: readRecords('crm.lead'),
    tags: readRecords('crm.tag'),
    sources: readRecords('utm.source'),
    mediums: readRecords('utm.medium'),
    campaigns: readRecords('utm.campaign'),
    expireKey: () => {
      validKey = undefined;
    },
  };
}
