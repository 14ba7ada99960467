import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, request, type Dispatcher } from 'undici';
import { getErrorCode, SiteError } from '../logging/describe-error.ts';
import { Second } from '../../time.ts';
import { DeliveryError } from './delivery-error.ts';
import { createAddressPolicy } from '../network/address-policy.ts';
import { parseAddress, withoutBrackets } from '../network/ip-address.ts';

/** Maximum duration of a call, from connecting to the last byte. */
const CALL_TIMEOUT = 10 * Second;
/** Shorter than CALL_TIMEOUT, so that a connection timeout proves that nothing was sent. */
const CONNECT_TIMEOUT = 5 * Second;
/** More than any response about a single lead needs. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** For long responses, such as a list of all an account's fields and their options. */
export const MAX_LISTING_BYTES = 4 * 1024 * 1024;

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** 64 KiB by default. */
  readonly maxResponseBytes?: number;
  /** Returns a redirect as a response instead of throwing. */
  readonly returnsRedirects?: true;
}

export interface OutboundResponse {
  readonly status: number;
  /** Returns a header's value, given its lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly text: string;
  /** Whether `text` is truncated. Decide by `status`; don't parse `text`. */
  readonly isTruncated: boolean;
  /** The error that interrupted the body of a 2xx response. */
  readonly cut?: DeliveryError;
}

export const isSuccess = ({ status }: Pick<OutboundResponse, 'status'>): boolean => status >= 200 && status <= 299;

/** Calls servers outside the stack. */
export type OutboundClient = ReturnType<typeof createOutboundClient>;

class AddressRefusedError extends SiteError {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ADDRESS_REFUSED';
}

/** Resolves a host to its permitted addresses only, so that undici connects to no others. */
function makeLookup(isAllowed: ReturnType<typeof createAddressPolicy>, url: URL): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const permitted = addresses.filter(({ address }) => isAllowed(url, address));
      const [first] = permitted;
      if (!first) return callback(new AddressRefusedError('Every address of the host is refused.'), []);

      return options.all ? callback(null, permitted) : callback(null, first.address, first.family);
    });
  };
}

/** OpenSSL's and Node's codes for an untrusted certificate. */
const CERTIFICATE_CODES =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|HOSTNAME_MISMATCH|ERR_SSL)/;

function toOutboundError(error: unknown, hasTimedOut: boolean): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const code = hasTimedOut ? 'timed-out' : (getErrorCode(error) ?? 'unexpected-error');
  const isMisconfigured = code === 'ADDRESS_REFUSED' || CERTIFICATE_CODES.test(code);

  return new DeliveryError(isMisconfigured ? 'paused' : 'retry', `http-${code}`, { cause: error });
}

/** Reads up to `maxBytes`, and closes the connection if the body is longer. */
async function readCapped(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  explain: (error: unknown) => DeliveryError,
): Promise<Pick<OutboundResponse, 'text' | 'isTruncated' | 'cut'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  let cut: DeliveryError | undefined;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) break;
    }
  } catch (error) {
    cut = explain(error);
  }
  const text = Buffer.concat(chunks).subarray(0, maxBytes).toString();

  return { text, isTruncated: cut !== undefined || size > maxBytes, ...(cut && { cut }) };
}

function readHeader(headers: Dispatcher.ResponseData['headers'], name: string) {
  const value = headers[name];

  return Array.isArray(value) ? value[0] : value;
}

/** Creates one agent per origin, because the lookup checks the whole URL. */
function createAgents(isAllowed: ReturnType<typeof createAddressPolicy>) {
  const agents = new Map<string, Agent>();

  return {
    get: (url: URL): Agent => {
      const literal = withoutBrackets(url.hostname);
      if (parseAddress(literal) && !isAllowed(url, literal)) throw new AddressRefusedError(literal);
      const agent =
        agents.get(url.origin) ??
        new Agent({
          connect: { lookup: makeLookup(isAllowed, url), timeout: CONNECT_TIMEOUT },
          // Keep-alive is off, because a reused connection that the server has just closed would look like a lost response.
          pipelining: 0,
        });
      agents.set(url.origin, agent);

      return agent;
    },
    destroy: () => Promise.all([...agents.values()].map((agent) => agent.destroy())),
  };
}

/** Creates the client. @param allowed OUTBOUND_ALLOW @param recorder replaces the network with recorded responses */
export function createOutboundClient(allowed: readonly string[], recorder?: Dispatcher) {
  const agents = createAgents(createAddressPolicy(allowed));

  return {
    /**
     * Makes one call without following redirects. Returns any complete response, or a 2xx with an interrupted body.
     * @throws DeliveryError `retry` if there was no complete response, `paused` for a forbidden address, an untrusted
     *   certificate or a redirect
     */
    call: async (outbound: OutboundRequest): Promise<OutboundResponse> => {
      const { method, url, headers, signal, maxResponseBytes = MAX_RESPONSE_BYTES, returnsRedirects, ...sent } = outbound;
      const timeout = AbortSignal.timeout(CALL_TIMEOUT);
      const explain = (error: unknown) => toOutboundError(error, timeout.aborted || signal.aborted);

      try {
        const response = await request(url, {
          method,
          dispatcher: recorder ?? agents.get(new URL(url)),
          headers: { 'user-agent': 'consultancy-website', ...headers },
          ...sent,
          signal: AbortSignal.any([signal, timeout]),
        });
        const body = await readCapped(response.body, maxResponseBytes, (error) => {
          // The meaning of any other response may depend on its body.
          if (!isSuccess({ status: response.statusCode })) throw error;

          return explain(error);
        });
        const isRedirect = response.statusCode >= 300 && response.statusCode < 400 && readHeader(response.headers, 'location');
        if (isRedirect && !returnsRedirects) {
          throw new DeliveryError('paused', 'http-redirect');
        }

        return {
          status: response.statusCode,
          header: (name) => readHeader(response.headers, name),
          ...body,
        };
      } catch (error) {
        throw explain(error);
      }
    },
    close: async () => {
      await agents.destroy();
    },
  };
}
