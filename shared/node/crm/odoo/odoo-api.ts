import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { DeliveryError, ResponseError, type FailureResult } from '../../outbound/delivery-error.ts';
import { classifyResponse } from '../../outbound/classify-response.ts';
import { isSuccess, type OutboundResponse, type OutboundClient } from '../../outbound/outbound-client.ts';
import { parseResponse, readResponse } from '../read-response.ts';

/** The APIs of Odoo: JSON-RPC, which asks for the user's login too, and from 19 on JSON-2. */
type OdooProtocol = 'JSON-2' | 'JSON-RPC';

/** The first version with each API that is used; of JSON-RPC the first that takes API keys. */
export const oldestVersions: Readonly<Record<OdooProtocol, number>> = { 'JSON-2': 19, 'JSON-RPC': 14 };

/** A Python class's name, such as `odoo.exceptions.ValidationError`. */
export const className = v.pipe(v.string(), v.regex(/^(?:\w{1,64}\.)*[A-Z]\w{0,63}$/));
const refusalSchema = v.object({ name: className });

/** What statuses mean here that mean something else, or nothing, elsewhere. */
const resultsByStatus: Readonly<Record<number, FailureResult>> = {
  // No record is called by its id: a model, a method or the database is missing.
  404: 'paused',
  // `LockError`: another transaction has locked a record.
  409: 'retry',
};

/**
 * Classifies an error of Odoo's by the status it has in JSON-2; the reason ends with the last part of its class's name,
 * and has nothing of its message or `debug`.
 */
export function classifyOdooError(
  response: OutboundResponse,
  name = parseResponse(response, refusalSchema)?.name,
): ResponseError {
  const { status } = response;
  const { result, reason, kindWaitsMs } = classifyResponse('odoo', response, name?.split('.').at(-1));

  return new ResponseError(status, resultsByStatus[status] ?? result, reason, { kindWaitsMs });
}

interface OdooCall {
  readonly model: string;
  readonly method: string;
  /** Its arguments by name. */
  readonly named: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

export interface OdooApi {
  readonly protocol: OdooProtocol;
  /**
   * Calls a method of a model, as one transaction of Odoo's.
   * @throws DeliveryError, as ResponseError for an error of Odoo's; `odoo-too-old` below version 19 without JSON-RPC
   */
  readonly call: <const Schema extends v.GenericSchema>(
    call: OdooCall,
    schema: Schema,
  ) => Promise<v.InferOutput<Schema>>;
  /**
   * The major version; undefined when the address is not an Odoo server's.
   * @throws DeliveryError
   */
  readonly readVersion: (signal: AbortSignal) => Promise<number | undefined>;
}

/** `19`, or `saas~19` on Odoo's own hosts. */
const majorSchema = v.pipe(
  v.looseTuple([v.union([v.number(), v.string()])]),
  v.transform(([major]) => Number(/\d+/.exec(String(major))?.[0])),
  v.integer(),
);
const versionSchema = v.object({ version_info: majorSchema });
const oldVersionSchema = v.object({ result: v.object({ server_version_info: majorSchema }) });

/** Sends JSON to a path of the server. */
type PostToOdoo = (
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object,
  signal: AbortSignal,
) => Promise<OutboundResponse>;

export function createOdooPoster(url: string, client: OutboundClient): PostToOdoo {
  return (path, headers, body, signal) =>
    client.call({
      method: 'POST',
      url: `${url}${path}`,
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body: JSON.stringify(body),
      signal,
    });
}

/** What JSON-RPC is asked, of one of its services. */
export const makeRpcRequest = (service: 'common' | 'object', method: string, args: readonly unknown[]) => ({
  jsonrpc: '2.0',
  method: 'call',
  params: { service, method, args },
  id: 1,
});

/** The major version as JSON-RPC reports it; undefined when the response isn't Odoo's. */
export async function readRpcVersion(post: PostToOdoo, signal: AbortSignal): Promise<number | undefined> {
  const response = await post('/jsonrpc', {}, makeRpcRequest('common', 'version', []), signal);

  return parseResponse(response, oldVersionSchema)?.result.server_version_info;
}

/** Calls the JSON-2 API with the user's key, and reads the version without one. */
export function createOdooApi(
  { url, database, apiKey }: CrmSettingsOf<'odoo'>,
  client: OutboundClient,
): OdooApi {
  const databaseHeader = database !== undefined && { 'x-odoo-database': database };
  const post = createOdooPoster(url, client);

  const readVersion = async (signal: AbortSignal) => {
    const versionUrl = `${url}/web/version`;
    const response = await client.call({ method: 'GET', url: versionUrl, headers: {}, signal });
    if (isSuccess(response)) return parseResponse(response, versionSchema)?.version_info;
    if (response.status !== 404) throw classifyOdooError(response);

    // Before 19 only the older API has it.
    return readRpcVersion(post, signal);
  };

  return {
    protocol: 'JSON-2',
    readVersion,
    call: async ({ model, method, named, signal }, schema) => {
      const headers = { authorization: `bearer ${apiKey}`, ...databaseHeader };
      const response = await post(`/json/2/${model}/${method}`, headers, named, signal);
      if (isSuccess(response)) return readResponse('odoo', response, schema);
      const error = classifyOdooError(response);
      const version = response.status === 404 ? await readVersion(signal) : undefined;
      if (version !== undefined && version < oldestVersions['JSON-2']) {
        throw new DeliveryError('paused', 'odoo-too-old');
      }
      throw error;
    },
  };
}
