import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { ResponseError } from '../../outbound/delivery-error.ts';
import { isSuccess, type OutboundClient, type OutboundResponse } from '../../outbound/outbound-client.ts';
import { parseResponse, readResponse } from '../read-response.ts';
import {
  classifyOdooError,
  className,
  createOdooPoster,
  makeRpcRequest,
  oldestVersions,
  readRpcVersion,
  type OdooApi,
} from './odoo-api.ts';

/** Errors have status 200; of their sentences, which may repeat the lead, only what is decided on. */
const errorSchema = v.object({
  error: v.object({
    data: v.object({
      name: className,
      message: v.fallback(
        v.pipe(
          v.string(),
          v.transform((message) => ({
            // 'Object crm.lead doesn't exist', in the user's language.
            namesModel: message.includes('crm.lead'),
            isMissing: message.includes('does not exist'),
          })),
        ),
        { namesModel: false, isMissing: false },
      ),
    }),
  }),
});
type OdooErrorData = v.InferOutput<typeof errorSchema>['error']['data'];

/** The statuses that JSON-2 gives the same errors, by the last part of their class's name. */
const statuses: Readonly<Record<string, number>> = {
  AccessDenied: 401,
  AccessError: 403,
  MissingError: 422,
  RedirectWarning: 422,
  TypeError: 422,
  UserError: 422,
  ValidationError: 422,
  ValueError: 422,
};

/** The end of the reason where `/jsonrpc` is switched off or gone. */
const NO_JSON_RPC = 'no-jsonrpc';

const isSwitchedOff = ({ name }: OdooErrorData) => name.split('.').at(-1) === 'NotFound';

function getStatus({ name, message }: OdooErrorData): number {
  const kind = name.split('.').at(-1) ?? '';
  if (isSwitchedOff({ name, message })) return 404;
  if (kind === 'UserError' && message.namesModel) return 404;
  if (name === 'psycopg2.OperationalError' && message.isMissing) return 404;

  // Failing permanently is a decision: others, such as PostgreSQL's, are errors of the server.
  return statuses[kind] ?? 500;
}

/** Reads the result of a call; one without a result is null. */
function readResult<const Schema extends v.GenericSchema>(
  response: OutboundResponse,
  schema: Schema,
): v.InferOutput<Schema> {
  if (!isSuccess(response)) throw classifyOdooError(response, response.status === 404 ? NO_JSON_RPC : undefined);
  const data = parseResponse(response, errorSchema)?.error.data;
  if (data) {
    throw classifyOdooError({ ...response, status: getStatus(data) }, isSwitchedOff(data) ? NO_JSON_RPC : data.name);
  }

  return readResponse('odoo', response, v.object({ result: schema })).result;
}

/** A method with its arguments as JSON-RPC takes them. */
interface RpcCall {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly options?: object;
}

/** What methods take by position where JSON-2 takes it by name. */
const positions: Readonly<Record<string, string>> = { search_read: 'domain', create: 'vals_list' };

function toRpcCall(method: string, named: Readonly<Record<string, unknown>>): RpcCall {
  const position = positions[method];
  if (position === undefined) return { method, args: [], options: named };
  const { [position]: first, ...options } = named;

  return { method, args: [first], options };
}

/** The first version with `has_access`, which takes records first, instead of `check_access_rights`. */
const FIRST_WITH_HAS_ACCESS = 19;

const toAccessCall = (operation: unknown, version: number): RpcCall =>
  version < FIRST_WITH_HAS_ACCESS
    ? { method: 'check_access_rights', args: [operation], options: { raise_exception: false } }
    : { method: 'has_access', args: [[], operation] };

/** The first version in which `has_group` takes the user as its record. */
const FIRST_WITH_USER_RECORD = 18;

const toGroupCall = ({ ids, group_ext_id: group }: Readonly<Record<string, unknown>>, version: number): RpcCall => ({
  method: 'has_group',
  args: version < FIRST_WITH_USER_RECORD ? [group] : [ids, group],
});

/** Calls the JSON-RPC API, which Odoo has until version 21, with the user's login and key. */
export function createOdooRpcApi(
  { url, database, apiKey }: CrmSettingsOf<'odoo'>,
  login: string,
  client: OutboundClient,
): OdooApi {
  const post = createOdooPoster(url, client);
  let userId: number | undefined;

  const authenticate = async (signal: AbortSignal) => {
    const request = makeRpcRequest('common', 'authenticate', [database, login, apiKey, {}]);
    const schema = v.union([v.number(), v.literal(false), v.null()]);
    const id = readResult(await post('/jsonrpc', {}, request, signal), schema);
    // Not an error to Odoo.
    if (typeof id !== 'number') throw new ResponseError(401, 'paused', 'odoo-401-AccessDenied');

    return id;
  };

  const readVersion = (signal: AbortSignal) => readRpcVersion(post, signal);

  return {
    protocol: 'JSON-RPC',
    readVersion,
    call: async ({ model, method, named, signal }, schema) => {
      const { args, options = {}, ...call } =
        method === 'has_access'
          ? toAccessCall(named['operation'], (await readVersion(signal)) ?? FIRST_WITH_HAS_ACCESS)
          : method === 'has_group'
            ? toGroupCall(named, (await readVersion(signal)) ?? FIRST_WITH_USER_RECORD)
            : toRpcCall(method, named);
      userId ??= await authenticate(signal);
      const all = [database, userId, apiKey, model, call.method, args, options];
      const request = makeRpcRequest('object', 'execute_kw', all);

      try {
        return readResult(await post('/jsonrpc', {}, request, signal), schema);
      } catch (error) {
        // The database may be another one, in which the login has another id.
        if (error instanceof ResponseError && error.status === 401) userId = undefined;

        throw error;
      }
    },
  };
}

/** Whether `description` is HTML: before 15 it is text. */
export async function takesHtml(api: OdooApi, signal: AbortSignal): Promise<boolean> {
  if (api.protocol === 'JSON-2') return true;

  return ((await api.readVersion(signal)) ?? oldestVersions['JSON-2']) >= 15;
}
