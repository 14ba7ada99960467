/**
 * JSON-RPC as Odoo 14 to 18 serve it: `common` and `object`, errors with status 200.
 * Source: Odoo's external API documentation and its services, as summarized in the project's research notes.
 */
import * as v from 'valibot';
import { readMediaType, type CrmRoute, type RoutedRequest } from './crm-rules.ts';
import { Refusal, respondJson, type CrmResponse } from './fake-crm.ts';
import { refuse, refuseValue } from './odoo-responses.ts';
import { callRpcMethod, type OdooServer } from './odoo-rpc-methods.ts';
import { USER_ID } from './odoo-models.ts';

const call = v.object({
  jsonrpc: v.optional(v.string()),
  method: v.optional(v.string()),
  id: v.optional(v.unknown()),
  params: v.object({ service: v.string(), method: v.string(), args: v.array(v.unknown()) }),
});

/** Only this type reaches the API; any other gets a page. */
const wrongTypePage: CrmResponse = {
  status: 400,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html>\n<html lang=en>\n<title>400 Bad Request</title>\n<h1>Bad Request</h1>\n',
};

function requireDatabase({ databaseName }: OdooServer, name: unknown, sent: string): void {
  if (name === databaseName) return;
  const message = `connection to server failed: FATAL:  database ${JSON.stringify(name)} does not exist\n`;
  refuseValue('psycopg2.OperationalError', message, sent);
}

function takeArguments(args: readonly unknown[], least: number, most: number, sent: string): void {
  if (args.length >= least && args.length <= most) return;
  const message = `takes from ${least} to ${most} positional arguments but ${args.length} were given`;
  refuseValue('builtins.TypeError', message, sent);
}

/** The user's number, or false for a wrong login or key; the version is for anybody. */
function callCommon(server: OdooServer, method: string, args: readonly unknown[], sent: string): unknown {
  const { majorVersion } = server;
  if (method === 'version') {
    const serie = `${majorVersion}.0`;

    return {
      server_version: serie,
      server_version_info: [majorVersion, 0, 0, 'final', 0, ''],
      server_serie: serie,
      protocol_version: 1,
    };
  }
  if (method !== 'authenticate' && method !== 'login') {
    return refuseValue('builtins.Exception', `Method not found: ${method}`, sent);
  }
  const count = method === 'login' ? 3 : 4;
  takeArguments(args, count, count, sent);
  const [database, login, key] = args;
  requireDatabase(server, database, sent);
  const isRight = login === server.login && key !== undefined && key === server.getKey();

  return isRight ? USER_ID : false;
}

function callObject(server: OdooServer, method: string, args: readonly unknown[], sent: string): unknown {
  if (method !== 'execute_kw' && method !== 'execute') {
    return refuseValue('builtins.NameError', `Method not available ${method}`, sent);
  }
  const [database, user, key, model, name, ...rest] = args;
  requireDatabase(server, database, sent);
  if (user !== USER_ID || key === undefined || key !== server.getKey()) {
    refuseValue('odoo.exceptions.AccessDenied', 'Access Denied', sent);
  }
  takeArguments(args, method === 'execute' ? 5 : 6, method === 'execute' ? Infinity : 7, sent);
  const [given, named = {}] = method === 'execute' ? [rest] : rest;
  const isSound =
    typeof model === 'string' &&
    typeof name === 'string' &&
    Array.isArray(given) &&
    typeof named === 'object' &&
    named !== null;
  if (!isSound) return refuseValue('builtins.TypeError', 'wrong arguments of execute_kw', sent);

  return callRpcMethod(server, { model, name, given, named: { ...named }, sent });
}

function serve(server: OdooServer, params: v.InferOutput<typeof call>['params'], sent: string): unknown {
  const { service, method, args } = params;
  if (service === 'common') return callCommon(server, method, args, sent);
  if (service === 'object') return callObject(server, method, args, sent);

  return refuseValue('builtins.KeyError', `'${service}'`, sent);
}

function respondCall(server: OdooServer, request: RoutedRequest): CrmResponse {
  if (readMediaType(request) !== 'application/json') return wrongTypePage;
  let id: unknown = null;
  try {
    let body: unknown;
    try {
      body = JSON.parse(request.body);
    } catch {
      return wrongTypePage;
    }
    const parsed = v.safeParse(call, body);
    if (!parsed.success) return refuse(200, 'builtins.TypeError', 'missing arguments of a call', request.body);
    id = parsed.output.id ?? null;
    const result = serve(server, parsed.output.params, request.body);

    return respondJson(200, { jsonrpc: '2.0', id, result });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const data: unknown = JSON.parse(error.response.body ?? '{}');

    return respondJson(200, { jsonrpc: '2.0', id, error: { code: 200, message: 'Odoo Server Error', data } });
  }
}

export function makeJsonRpcRoute(server: OdooServer): CrmRoute {
  return {
    method: 'POST',
    path: /^\/jsonrpc$/,
    handle: (request) => respondCall(server, request),
  };
}
