import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { DeliveryError, type FailureDetails, type FailureResult } from '../../deliveries/delivery-error.ts';
import { classifyResponse } from '../../outbound/classify-response.ts';
import { isSuccess, type OutboundResponse, type OutboundClient } from '../../outbound/outbound-client.ts';
import { parseResponse, readResponse } from '../read-response.ts';

/** The first version with the JSON-2 API. */
export const OLDEST_VERSION = 19;

/** A response of Odoo outside 2xx; the reason has the error's class, never its message or `debug`. */
export class OdooError extends DeliveryError {
  override readonly name = 'OdooError';
  readonly status: number;

  constructor(status: number, result: FailureResult, reason: string, details: FailureDetails = {}) {
    super(result, reason, details);
    this.status = status;
  }
}

/** The last part of a Python class's name, such as `odoo.exceptions.ValidationError`. */
const refusalSchema = v.object({
  name: v.pipe(v.string(), v.regex(/^(?:\w{1,64}\.)*[A-Z]\w{0,63}$/)),
});

function toOdooError(response: OutboundResponse): OdooError {
  const name = parseResponse(response, refusalSchema)?.name.split('.').at(-1);
  const { result, reason, kindWaitsMs } = classifyResponse('odoo', response, name);

  // No record is called by its id: a model, a method or the database is missing.
  return new OdooError(response.status, response.status === 404 ? 'paused' : result, reason, {
    kindWaitsMs,
  });
}

interface OdooCall {
  readonly model: string;
  readonly method: string;
  /** Its arguments by name. */
  readonly named: object;
  readonly signal: AbortSignal;
}

export interface OdooApi {
  /**
   * Calls a method of a model, as one transaction of Odoo's.
   * @throws DeliveryError, as OdooError for a response outside 2xx; `odoo-too-old` below version 19
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

/** Calls the JSON-2 API with the user's key, and reads the version without one. */
export function createOdooApi(
  { url, database, apiKey }: CrmSettingsOf<'odoo'>,
  client: OutboundClient,
): OdooApi {
  const databaseHeader = database !== undefined && { 'x-odoo-database': database };
  const post = (path: string, headers: Record<string, string>, body: object, signal: AbortSignal) =>
    client.call({
      method: 'POST',
      url: `${url}${path}`,
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body: JSON.stringify(body),
      signal,
    });

  const readVersion = async (signal: AbortSignal) => {
    const versionUrl = `${url}/web/version`;
    const response = await client.call({ method: 'GET', url: versionUrl, headers: {}, signal });
    if (isSuccess(response)) return parseResponse(response, versionSchema)?.version_info;
    if (response.status !== 404) throw toOdooError(response);
    // Before 19 only the older API has it.
    const params = { service: 'common', method: 'version', args: [] };
    const body = { jsonrpc: '2.0', method: 'call', params, id: 1 };
    const older = await post('/jsonrpc', {}, body, signal);

    return parseResponse(older, oldVersionSchema)?.result.server_version_info;
  };

  return {
    readVersion,
    call: async ({ model, method, named, signal }, schema) => {
      const headers = { authorization: `bearer ${apiKey}`, ...databaseHeader };
      const response = await post(`/json/2/${model}/${method}`, headers, named, signal);
      if (isSuccess(response)) return readResponse('odoo', response, schema);
      const error = toOdooError(response);
      const version = response.status === 404 ? await readVersion(signal) : undefined;
      if (version !== undefined && version < OLDEST_VERSION) {
        throw new OdooError(404, 'paused', 'odoo-too-old');
      }
      throw error;
    },
  };
}
