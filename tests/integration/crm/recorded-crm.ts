import { isDeepStrictEqual } from 'node:util';
import { MockAgent } from 'undici';
import { expect, onTestFinished } from 'vitest';
import type { CrmSettings } from '../../../shared/node/config/settings.ts';
import { createCrmProvider } from '../../../shared/node/crm/create-crm-provider.ts';
import { createOutboundClient } from '../../../shared/node/outbound/outbound-client.ts';

/** A response: its status, its body and its headers. */
export type Answer = readonly [status: number, body?: unknown, headers?: Readonly<Record<string, string>>];

/** One recorded request with its responses. */
export interface Exchange {
  /** Method, path and query, unencoded. */
  readonly call: string;
  readonly body?: unknown;
  /** The response; for a look-up, the response if the record doesn't exist. */
  readonly answer: Answer;
  /** The record that the request looks up, creates or fills. */
  readonly record?: string;
  readonly effect?: 'create' | 'fill';
  /** The response to a look-up after this export has created the record. */
  readonly own?: Answer;
  /** The response to a look-up if somebody else has created the record with all its fields. The default is `own`. */
  readonly full?: Answer;
  /** The response to a look-up if somebody else has created the record without some of its fields. */
  readonly bare?: Answer;
}

/** A CRM's recorded exchanges for the lead that `makeSampleLead` returns. */
export interface Recording {
  readonly settings: CrmSettings;
  /** The API key, which must be sent in a header. */
  readonly secret: string;
  /** The result of an export. */
  readonly id: string;
  /** The record that somebody else may have created, and whose empty fields an export fills. */
  readonly fillable?: string;
  readonly exchanges: readonly Exchange[];
  /** The checks that `test` reports. */
  readonly checks: readonly string[];
}

/** Who created a record, and whether all its fields have values. */
type RecordState = 'own' | 'full' | 'bare';

interface Fault {
  /** A pattern for `METHOD path`, or the exchange. */
  readonly on: RegExp | Exchange;
  readonly answer: Answer;
  /** Whether the CRM performs the request even though it responds with the fault. */
  readonly isDone: boolean;
}

const parse = (text: string): unknown => (text.startsWith('{') ? JSON.parse(text) : text === '' ? undefined : text);
const readable = (path: string) => decodeURIComponent(path.replaceAll('+', ' '));
const withoutQuery = (call: string) => call.split('?')[0];

interface Options {
  /** Additional exchanges. They override recorded ones with the same call and body. */
  readonly exchanges?: readonly Exchange[];
  readonly known?: Readonly<Record<string, RecordState>>;
  readonly settings?: Partial<CrmSettings>;
  /** Matches requests by method and path only, so any lead can be exported. */
  readonly acceptsAnyLead?: boolean;
}

/** Replays a recording to a real client. A request that isn't recorded fails the test. */
export function openRecordedCrm(recording: Recording, options: Options = {}) {
  const state = new Map<string, RecordState>(Object.entries(options.known ?? {}));
  const done: string[] = [];
  const requests: Array<{ call: string; body: unknown; headers: unknown }> = [];
  const unexpected: unknown[] = [];
  const faults: Fault[] = [];
  const exchanges = [...(options.exchanges ?? []), ...recording.exchanges];

  const find = (call: string, body: unknown) =>
    options.acceptsAnyLead
      ? exchanges.find((exchange) => withoutQuery(exchange.call) === withoutQuery(call))
      : exchanges.find((exchange) => exchange.call === call && isDeepStrictEqual(exchange.body, body));

  const perform = ({ record = '', effect, ...exchange }: Exchange): Answer => {
    if (effect) {
      done.push(`${effect} ${record}`);
      state.set(record, effect === 'create' ? 'own' : 'full');

      return exchange.answer;
    }
    const { answer, own = answer, full = own, bare = full } = exchange;
    const now = state.get(record);

    return now === undefined ? answer : { own, full, bare }[now];
  };

  const respond = (call: string, body: unknown): Answer => {
    const exchange = find(call, body);
    const index = faults.findIndex(({ on }) => (on instanceof RegExp ? on.test(call) : on === exchange));
    const [fault] = index === -1 ? [] : faults.splice(index, 1);
    if (fault && !fault.isDone) return fault.answer;
    if (!exchange) {
      unexpected.push({ call, body, recorded: exchanges.filter((one) => one.call === call).map((one) => one.body) });

      return [599];
    }
    const answer = perform(exchange);

    return fault?.answer ?? answer;
  };

  const agent = new MockAgent();
  agent.disableNetConnect();
  agent
    .get(/./)
    .intercept({ path: () => true, method: () => true })
    .reply(({ path, method, body, headers }) => {
      const call = `${method} ${readable(path)}`;
      const sent = parse(typeof body === 'string' ? body : '');
      requests.push({ call, body: sent, headers });
      const [statusCode, data = '', responseHeaders = {}] = respond(call, sent);

      return { statusCode, data: typeof data === 'string' ? data : JSON.stringify(data), responseOptions: { headers: responseHeaders } };
    })
    .persist();
  const client = createOutboundClient([], agent);
  const settings = { ...recording.settings, ...options.settings } as CrmSettings;
  const provider = createCrmProvider(settings, client);
  if (!provider) throw new Error('The recording names no provider.');
  onTestFinished(async () => {
    await agent.close();
    expect(unexpected).toEqual([]);
  });

  return {
    client,
    provider,
    settings,
    state,
    requests,
    /** The records that were created and filled, in order. */
    done,
    /** Overrides the recorded response to the next matching request. */
    answerOnce: (on: Fault['on'], answer: Answer, isDone = false) => {
      faults.push({ on, answer, isDone });
    },
  };
}
