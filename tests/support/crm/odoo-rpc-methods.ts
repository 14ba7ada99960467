import * as v from 'valibot';
import { domain, findRecords } from './odoo-domain.ts';
import {
  createRecords,
  requireField,
  showRecord,
  USER_ID,
  writeRecords,
  type OdooDatabase,
  type OdooModel,
  type OdooValues,
  type Target,
} from './odoo-models.ts';
import { refuseValue } from './odoo-responses.ts';

/** A message posted on a record. */
export interface OdooMessage {
  readonly id: number;
  readonly model: string;
  readonly res_id: number;
  readonly body: string;
  /** The further arguments, such as `message_type` and `subtype_xmlid`. */
  readonly options: OdooValues;
}

export interface OdooServer {
  readonly database: OdooDatabase;
  readonly databaseName: string;
  readonly login: string;
  /** Undefined once it has expired. */
  readonly getKey: () => string | undefined;
  readonly majorVersion: number;
  /** What the user may not do, as `model/method`; `model/read` means searching too. */
  readonly forbidden: readonly string[];
  /** The user sees leads beside opportunities: what is created without a type becomes one. */
  readonly usesLeads: boolean;
  /** What was posted on records. */
  readonly messages: OdooMessage[];
}

/** A call of a model's method with its arguments, by position and by name. */
export interface RpcCall {
  readonly model: string;
  readonly name: string;
  readonly given: readonly unknown[];
  readonly named: OdooValues;
  readonly sent: string;
}

const values = v.record(v.string(), v.unknown());
const names = v.array(v.string());
const ids = v.pipe(
  v.union([v.number(), v.array(v.number())]),
  v.transform((given) => (typeof given === 'number' ? [given] : given)),
);
/** Python's None and false stand for no value. */
const none = v.pipe(
  v.union([v.literal(false), v.null()]),
  v.transform(() => undefined),
);
const maybe = <const Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.union([schema, none]));
const context = v.optional(values);
const page = {
  offset: v.optional(v.number()),
  limit: maybe(v.number()),
  order: maybe(v.string()),
};
type Page = { readonly offset?: number | undefined; readonly limit?: number | undefined };

/** Names the arguments given by position, and reads them all; others than the method's are refused. */
function readArguments<const Entries extends v.ObjectEntries>(
  { given, named, name, sent }: RpcCall,
  entries: Entries,
): v.InferOutput<v.StrictObjectSchema<Entries, undefined>> {
  const positions = Object.keys(entries).filter((one) => one !== 'context');
  if (given.length > positions.length) {
    const message = `${name}() takes ${positions.length + 1} positional arguments but ${given.length + 1} were given`;
    refuseValue('builtins.TypeError', message, sent);
  }
  const byPosition = given.map((value, index) => [positions[index] ?? '', value] as const);
  const result = v.safeParse(v.strictObject(entries), { ...Object.fromEntries(byPosition), ...named });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const message = `${name}(): ${v.getDotPath(issue) ?? ''}: ${issue.message}`;

  return refuseValue('builtins.TypeError', message, sent);
}

function cut<Item>(list: readonly Item[], { offset = 0, limit = Infinity }: Page): Item[] {
  return list.slice(offset, offset + limit);
}

/** Records that are gone are left out. */
function showAll(target: Target, asked: readonly number[], given: readonly string[] | undefined): OdooValues[] {
  const fields = given ?? Object.keys(target.model.fields);
  for (const field of fields) requireField(target, field);

  return target.model.records
    .filter(({ id }) => asked.includes(id))
    .map((record) => showRecord(target, record, fields));
}

/** What Odoo tells of a field; descriptions of leads are HTML from version 15 on. */
function describeField(model: OdooModel, field: string, { majorVersion }: OdooServer): OdooValues {
  const kind = model.fields[field];
  const shared = { string: field, required: model.required.includes(field), readonly: false };
  if (typeof kind === 'object') return { ...shared, type: 'many2one', relation: kind.one };
  if (kind === 'tags') return { ...shared, type: 'many2many', relation: 'crm.tag' };
  if (field === 'description') return { ...shared, type: majorVersion < 15 ? 'text' : 'html' };
  if (field === 'active') return { ...shared, type: 'boolean' };

  return { ...shared, type: field === 'type' ? 'selection' : 'char' };
}

function describeFields(server: OdooServer, { model }: Target, call: RpcCall): OdooValues {
  const asked = readArguments(call, { allfields: maybe(names), attributes: maybe(names), context });
  const known = Object.keys(model.fields).filter((field) => asked.allfields?.includes(field) ?? true);
  const described = known.map((field) => {
    const all = Object.entries(describeField(model, field, server));

    return [field, Object.fromEntries(all.filter(([key]) => asked.attributes?.includes(key) ?? true))];
  });

  return Object.fromEntries(described) as OdooValues;
}

/** Adds a message to one record, a new one with every call; all but the record is given by name. */
function postMessage({ messages }: OdooServer, target: Target, call: RpcCall): number {
  if (call.given.length > 1) {
    const message = `message_post() takes 1 positional argument but ${call.given.length} were given`;
    refuseValue('builtins.TypeError', message, call.sent);
  }
  const { self, body = '', ...options } = readArguments(call, {
    self: ids,
    body: v.optional(v.string()),
    subject: maybe(v.string()),
    message_type: v.optional(v.string()),
    subtype_xmlid: maybe(v.string()),
    author_id: maybe(v.number()),
    body_is_html: v.optional(v.boolean()),
    context,
  });
  const [id] = self;
  if (id === undefined || self.length > 1) {
    return refuseValue('builtins.ValueError', `Expected singleton: ${target.modelName}(${self.join(', ')})`, call.sent);
  }
  if (!target.model.records.some((record) => record.id === id)) {
    const message = 'Record does not exist or has been deleted.';
    refuseValue('odoo.exceptions.MissingError', message, call.sent);
  }
  const made = { id: messages.length + 1, model: target.modelName, res_id: id, body, options };
  messages.push(made);

  return made.id;
}

function mayDo({ forbidden }: OdooServer, model: string, operation: string): boolean {
  return !forbidden.includes(`${model}/${operation}`);
}

function refuseAccess(call: RpcCall, operation: string): never {
  const message = `You are not allowed to ${operation} '${call.model}' (${call.model}) records.`;

  return refuseValue('odoo.exceptions.AccessError', message, call.sent);
}

type Method = (server: OdooServer, target: Target, call: RpcCall) => unknown;

const methods: Record<string, Method> = {
  search: (_server, target, call) => {
    const asked = readArguments(call, { domain, ...page, context });

    return cut(findRecords(target, asked.domain, asked.context), asked).map(({ id }) => id);
  },
  search_count: (_server, target, call) => {
    const asked = readArguments(call, { domain, limit: page.limit, context });

    return findRecords(target, asked.domain, asked.context).length;
  },
  search_read: (_server, target, call) => {
    const asked = readArguments(call, { domain: v.optional(domain), fields: maybe(names), ...page, context });
    const found = cut(findRecords(target, asked.domain ?? [], asked.context), asked);

    return showAll(target, found.map(({ id }) => id), asked.fields);
  },
  read: (_server, target, call) => {
    const asked = readArguments(call, { self: ids, fields: maybe(names), load: maybe(v.string()), context });

    return showAll(target, asked.self, asked.fields);
  },
  create: ({ usesLeads }, target, call) => {
    const asked = readArguments(call, { vals_list: v.union([v.array(values), values]), context });
    const { vals_list: list } = asked;
    const defaults = target.modelName === 'crm.lead' ? { type: usesLeads ? 'lead' : 'opportunity' } : {};
    const made = createRecords(target, [list].flat().map((one) => ({ ...defaults, ...one })));

    return Array.isArray(list) ? made : made[0];
  },
  write: (_server, target, call) => {
    const asked = readArguments(call, { self: ids, vals: values, context });
    writeRecords(target, asked.self, asked.vals);

    return true;
  },
  fields_get: describeFields,
  check_access_rights: (server, _target, call) => {
    const { operation, raise_exception: raises = true } = readArguments(call, {
      operation: v.picklist(['read', 'write', 'create', 'unlink']),
      raise_exception: v.optional(v.boolean()),
      context,
    });
    const isAllowed = mayDo(server, call.model, operation);

    return isAllowed || !raises ? isAllowed : refuseAccess(call, operation);
  },
  message_post: postMessage,
};
/** Methods that need the right to read. */
const readers = ['search', 'search_count', 'search_read', 'read', 'fields_get'];

/**
 * Calls a public method of a model.
 * @throws Refusal with the exception that Odoo raises
 */
export function callRpcMethod(server: OdooServer, call: RpcCall): unknown {
  const { model: modelName, name, sent } = call;
  if (/^(_.*|init)$/.test(name)) {
    const message = `Private methods (such as ${name}) cannot be called remotely.`;
    refuseValue('odoo.exceptions.AccessError', message, sent);
  }
  if (modelName === 'res.users' && name === 'context_get') return { lang: 'en_US', tz: 'UTC', uid: USER_ID };
  if (modelName === 'res.users' && name === 'has_group') {
    const user = { self: v.tuple([v.literal(USER_ID)]) };
    readArguments(call, { ...(server.majorVersion < 18 ? {} : user), group_ext_id: v.string() });

    return mayDo(server, modelName, name);
  }
  const model = server.database.get(modelName);
  if (model === undefined) {
    return refuseValue('odoo.exceptions.UserError', `Object ${modelName} doesn't exist`, sent);
  }
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) {
    const message = `The method '${modelName}.${name}' does not exist`;

    return refuseValue('builtins.AttributeError', message, sent);
  }
  const isRefused = readers.includes(name) && !mayDo(server, modelName, 'read');
  if (isRefused || !mayDo(server, modelName, name)) refuseAccess(call, isRefused ? 'read' : name);

  return method(server, { database: server.database, modelName, model, sent }, call);
}
