import * as v from 'valibot';
import type { CrmSettingsOf } from '../config/settings.ts';
import { DeliveryError } from '../outbound/delivery-error.ts';
import type { OutboundClient, OutboundResponse } from '../outbound/outbound-client.ts';
import { createConnector, CrmError, hasStatus, type CrmConnection, parseResponse, readResponse } from './crm-api.ts';

export interface OdooApi {
  /** JSON-2 requires Odoo 19 or newer. JSON-RPC also requires the user's login. */
  readonly protocol: 'JSON-2' | 'JSON-RPC';
  /** Calls a model's method. Odoo runs the call as one transaction. */
  readonly call: <const Schema extends v.GenericSchema>(
    model: string,
    method: string,
    named: Readonly<Record<string, unknown>>,
    schema: Schema,
  ) => Promise<v.InferOutput<Schema>>;
  /** Returns the major version; undefined if no Odoo server responds. */
  readonly readVersion: () => Promise<number | undefined>;
}

/** The oldest supported Odoo version for each API. JSON-RPC has accepted API keys since version 14. */
export const oldestVersions: Readonly<Record<OdooApi['protocol'], number>> = { 'JSON-2': 19, 'JSON-RPC': 14 };

/** A Python class name, such as `odoo.exceptions.ValidationError`. Its last part is appended to the reason. */
const className = v.pipe(v.string(), v.regex(/^(?:\w{1,64}\.)*[A-Z]\w{0,63}$/));
const getKind = (name: string | undefined) => name?.split('.').at(-1);
const refusalSchema = v.object({ name: className });
const readRefusal = (response: OutboundResponse) => ({ code: getKind(parseResponse(response, refusalSchema)?.name) });

/** Reads the major version from `19`, or from `saas~19` on Odoo's own hosts. */
const major = v.pipe(
  v.looseTuple([v.union([v.number(), v.string()])]),
  v.transform(([text]) => Number(/\d+/.exec(String(text))?.[0])),
  v.integer(),
);
const versionSchema = v.object({ version_info: major });
const rpcVersionSchema = v.object({ result: v.object({ server_version_info: major }) });

const makeRpcRequest = (service: 'common' | 'object', method: string, args: readonly unknown[]) => ({
  path: '/jsonrpc',
  body: { jsonrpc: '2.0', method: 'call', params: { service, method, args }, id: 1 },
});

/** Returns the result of a call, or undefined if the server doesn't support the call. */
async function ignoreMissing<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call;
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;

    throw error;
  }
}

const makeJson2Api = ({ send, call }: CrmConnection): OdooApi => ({
  protocol: 'JSON-2',
  readVersion: async () => {
    const response = await ignoreMissing(send({ path: '/web/version' }));

    return response && parseResponse(response, versionSchema)?.version_info;
  },
  call: (model, method, named, schema) => call({ path: `/json/2/${model}/${method}`, body: named }, schema),
});

/** JSON-RPC errors have status 200. The message may contain the lead's data, so only two facts are read from it. */
const errorSchema = v.object({
  error: v.object({
    data: v.object({
      name: className,
      message: v.fallback(
        v.pipe(
          v.string(),
          v.transform((message) => ({
            // The message is “Object crm.lead doesn't exist” in the user's language.
            namesModel: message.includes('crm.lead'),
            isMissing: message.includes('does not exist'),
          })),
        ),
        { namesModel: false, isMissing: false },
      ),
    }),
  }),
});

/** The statuses that JSON-2 returns for these errors. */
const statuses: Readonly<Record<string, number>> = {
  AccessDenied: 401,
  AccessError: 403,
  MissingError: 422,
  NotFound: 404,
  RedirectWarning: 422,
  TypeError: 422,
  UserError: 422,
  ValidationError: 422,
  ValueError: 422,
};

/** Last part of the reason if `/jsonrpc` is switched off or doesn't exist. */
const NO_JSON_RPC = 'no-jsonrpc';

/** Returns a call's result; null if the method returns nothing. */
function readResult<const Schema extends v.GenericSchema>(response: OutboundResponse, schema: Schema): v.InferOutput<Schema> {
  const data = parseResponse(response, errorSchema)?.error.data;
  if (!data) return readResponse('odoo', response, v.object({ result: schema })).result;
  const { name, message } = data;
  const kind = getKind(name) ?? '';
  const isMissing =
    (kind === 'UserError' && message.namesModel) || (name === 'psycopg2.OperationalError' && message.isMissing);
  // Treat unknown errors, such as PostgreSQL's, as temporary server errors.
  const status = isMissing ? 404 : (statuses[kind] ?? 500);

  throw new CrmError('odoo', response, { status, code: kind === 'NotFound' ? NO_JSON_RPC : kind });
}

/** Translates named arguments to the arguments that the server's Odoo version expects over JSON-RPC. */
async function toRpcArguments(method: string, named: Readonly<Record<string, unknown>>, api: Pick<OdooApi, 'readVersion'>) {
  const { domain, vals_list: values, operation, ids, group_ext_id: group, ...options } = named;
  switch (method) {
    case 'search_read':
      return { method, args: [domain], options };
    case 'create':
      return { method, args: [values], options };
    case 'has_access':
      return ((await api.readVersion()) ?? 19) < 19
        ? { method: 'check_access_rights', args: [operation], options: { raise_exception: false } }
        : { method, args: [[], operation], options };
    case 'has_group':
      // In version 18 and newer, this method is called on a user record.
      return { method, args: ((await api.readVersion()) ?? 18) < 18 ? [group] : [ids, group], options };
    default:
      return { method, args: [], options: named };
  }
}

interface Session {
  userId: number | undefined;
}

/** Creates a client for JSON-RPC, which Odoo 22 removes. It needs the user's login and key. */
function makeRpcApi(connection: CrmConnection, settings: CrmSettingsOf<'odoo'>, session: Session): OdooApi {
  const { database, login, apiKey } = settings;
  const ask = async (...request: Parameters<typeof makeRpcRequest>) => {
    try {
      return await connection.send(makeRpcRequest(...request));
    } catch (error) {
      if (!hasStatus(error, 404)) throw error;

      throw new DeliveryError('paused', `odoo-404-${NO_JSON_RPC}`, { cause: error });
    }
  };
  const authenticate = async () => {
    const schema = v.union([v.number(), v.literal(false), v.null()]);
    const response = await ask('common', 'authenticate', [database, login, apiKey, {}]);
    const userId = readResult(response, schema);
    // Odoo returns false for wrong credentials.
    if (typeof userId !== 'number') throw new CrmError('odoo', response, { status: 401, code: 'AccessDenied' });

    return userId;
  };
  const readVersion = async () => {
    const response = await ignoreMissing(connection.send(makeRpcRequest('common', 'version', [])));

    return response && parseResponse(response, rpcVersionSchema)?.result.server_version_info;
  };

  return {
    protocol: 'JSON-RPC',
    readVersion,
    call: async (model, method, named, schema) => {
      const { args, options, ...call } = await toRpcArguments(method, named, { readVersion });
      session.userId ??= await authenticate();
      const all = [database, session.userId, apiKey, model, call.method, args, options];

      try {
        return readResult(await ask('object', 'execute_kw', all), schema);
      } catch (error) {
        // The login may have a different id if the database was restored or replaced.
        if (hasStatus(error, 401)) session.userId = undefined;

        throw error;
      }
    },
  };
}

/** Returns a function that connects to Odoo: via JSON-RPC if a login is set, otherwise via JSON-2. */
export function createOdooConnector(settings: CrmSettingsOf<'odoo'>, client: OutboundClient): (signal: AbortSignal) => OdooApi {
  const { url, database, login, apiKey } = settings;
  const session: Session = { userId: undefined };
  const key = { authorization: `bearer ${apiKey}`, ...(database !== undefined && { 'x-odoo-database': database }) };
  const headers: Readonly<Record<string, string>> = login === undefined ? key : {};
  const connect = createConnector(client, { origin: 'odoo', baseUrl: url, headers, readRefusal });

  return (signal) =>
    login === undefined ? makeJson2Api(connect(signal)) : makeRpcApi(connect(signal), settings, session);
}
