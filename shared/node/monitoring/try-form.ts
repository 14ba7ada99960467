import { randomUUID } from 'node:crypto';
import { honeypotName } from '../../contact/spam-signals.ts';
import { apiPaths, routePatterns } from '../../paths.ts';
import { Second } from '../../time.ts';
import type { Config } from '../config/config.ts';
import { SiteError } from '../logging/describe-error.ts';
import { signLinkToken } from '../mail/signed-action-link.ts';
import { describeCallFailure } from '../outbound/classify-response.ts';
import { DeliveryError, toDeliveryError } from '../outbound/delivery-error.ts';
import {
  createOutboundClient,
  MAX_LISTING_BYTES,
  type OutboundClient,
  type OutboundResponse,
} from '../outbound/outbound-client.ts';
import { nowPlusMs, type Database } from '../database/database.ts';

/* Submits a trial request through PUBLIC_URL as a browser does; web runs every check and rolls it back. */

/** Listens for plain HTTP in the stack, whatever TLS says. */
const STACK_PROXY = 'http://proxy:3000';

const MAX_REDIRECTS = 5;

/** Longest time of one of the two calls, so that all end before the timeout of a check. */
const CALL_TIMEOUT = 4 * Second;

interface Trial {
  readonly isAccepted: boolean;
  /** What was seen, in one sentence; why PUBLIC_URL was not tried itself, in another. */
  readonly detail: string;
  /** Whether it went to the stack's proxy, because PUBLIC_URL can't be reached from here. */
  readonly isInside: boolean;
}

class TrialError extends SiteError {}

/** Reasons of the outbound client that say nothing of visitors: from here the address or its authority is unknown. */
const UNKNOWN_HERE =
  /^http-(?:E(?:NOTFOUND|AI_AGAIN|CONNREFUSED|HOSTUNREACH|NETUNREACH)|UND_ERR_CONNECT_TIMEOUT|timed-out|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER_CERT_LOCALLY|VERIFY_LEAF_SIGNATURE))$/;

interface Way {
  readonly client: OutboundClient;
  readonly start: string;
  readonly publicUrl: string;
  /** Undefined: that of the address. */
  readonly host?: string;
}

const makeHeaders = ({ host }: Way) => (host === undefined ? {} : { host });

/** Opens the page as a browser does, redirects included. @returns the origin that it came from */
async function openPage(way: Way): Promise<string> {
  let url = new URL(routePatterns.contact, way.start);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await way.client.call({
      ...{ method: 'GET', url: url.href, headers: makeHeaders(way), signal: AbortSignal.timeout(CALL_TIMEOUT) },
      ...{ maxResponseBytes: MAX_LISTING_BYTES, returnsRedirects: true },
    });
    const location = response.status >= 300 && response.status < 400 ? response.header('location') : undefined;
    if (location === undefined) {
      requirePage(url, response);

      return url.origin;
    }
    const next = URL.parse(location, url.href);
    if (!next) throw new TrialError(`${url.origin} leads on to ${location}, which is no address.`);
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new TrialError(`${url.origin} leads on to ${next.origin}, which has no TLS.`);
    }
    url = next;
  }
  throw new TrialError(`${way.start} leads from one redirect to the next.`);
}

function requirePage({ origin }: URL, { status, text }: OutboundResponse): void {
  if (status === 421) throw new TrialError(`${origin} answers 421: the Host that arrives is not PUBLIC_URL's.`);
  if (status !== 200) throw new TrialError(`${origin} answers ${status} instead of the contact page.`);
  if (!text.includes(`name="${honeypotName}"`)) throw new TrialError(`${origin} serves a page without the form.`);
}

async function postForm(way: Way, origin: string, secrets: readonly string[]): Promise<void> {
  const response = await way.client.call({
    method: 'POST',
    url: origin + apiPaths.contactSubmissions,
    headers: {
      ...makeHeaders(way),
      'content-type': 'application/json',
      // Of a browser that got the page there.
      origin: way.host === undefined ? origin : new URL(way.publicUrl).origin,
      'sec-fetch-site': 'same-origin',
    },
    body: JSON.stringify({
      ...{ id: randomUUID(), name: 'Trial', email: 'trial@example.com', company: 'Trial' },
      ...{ submitted_at: new Date(), spam: { honeypot: '', filled_in_ms: 10 * Second } },
      trial: signLinkToken('trial', randomUUID(), secrets),
    }),
    signal: AbortSignal.timeout(CALL_TIMEOUT),
  });
  if (response.status === 204) return;
  throw new TrialError(describeStatus(response.status, origin, way.publicUrl));
}

function describeStatus(status: number, origin: string, publicUrl: string): string {
  if (status === 403) return `Forms sent from ${origin} are refused with 403: PUBLIC_URL is ${publicUrl}.`;
  if (status === 421) return `Forms are refused with 421: the Host that arrives is not that of ${publicUrl}.`;

  return `Forms sent from ${origin} are answered with ${status}.`;
}

/** @throws TrialError, or DeliveryError when there is no response */
async function go(way: Way, secrets: readonly string[]): Promise<void> {
  await postForm(way, await openPage(way), secrets);
}

/**
 * Posts from the page of the other scheme, too, if there is one: a proxy that serves both and redirects neither has visitors
 * whose forms are refused.
 */
async function goByOtherScheme(way: Way, secrets: readonly string[]): Promise<void> {
  const url = new URL(way.publicUrl);
  url.protocol = url.protocol === 'https:' ? 'http:' : 'https:';
  // Where nothing or another site answers, no visitor fills in this form.
  const origin = await openPage({ ...way, start: url.href }).catch(() => undefined);
  if (origin !== undefined && origin !== new URL(way.publicUrl).origin) await postForm(way, origin, secrets);
}

const isUnknownHere = (error: unknown): error is DeliveryError =>
  error instanceof DeliveryError && UNKNOWN_HERE.test(error.reason);

/** The same by the stack's proxy. @throws the error of PUBLIC_URL where there is no such proxy */
async function goInside(way: Way, secrets: readonly string[], proxy: string, failure: DeliveryError): Promise<void> {
  try {
    await go({ ...way, start: proxy, host: new URL(way.publicUrl).host }, secrets);
  } catch (error) {
    throw isUnknownHere(error) ? failure : error;
  }
}

/** Submits a trial request, and says what became of it. */
export async function tryForm(
  { site: { publicUrl }, linkSecrets }: Pick<Config, 'site' | 'linkSecrets'>,
  proxy = STACK_PROXY,
  recorder?: Parameters<typeof createOutboundClient>[1],
): Promise<Trial> {
  const client = createOutboundClient([new URL(publicUrl).hostname, new URL(proxy).host], recorder);
  const way = { client, start: publicUrl, publicUrl };
  let inside = '';
  const other = goByOtherScheme(way, linkSecrets);
  // It is awaited below, unless PUBLIC_URL itself fails.
  other.catch(() => undefined);

  try {
    await go(way, linkSecrets).catch(async (error: unknown) => {
      if (!isUnknownHere(error)) throw error;
      await goInside(way, linkSecrets, proxy, error);
      inside = ` It went to the stack's proxy, because ${publicUrl} can't be tried from here (${error.reason}).`;
    });

    if (inside === '') await other;

    return { isAccepted: true, detail: `A trial request was accepted.${inside}`, isInside: inside !== '' };
  } catch (error) {
    const detail = error instanceof TrialError ? error.message : `${publicUrl}: ${describeCallFailure(toDeliveryError(error))}`;

    return { isAccepted: false, detail, isInside: false };
  } finally {
    await client.close();
  }
}

const TABLE = 'form_trial';

interface LastTrial {
  readonly triedAt: Date;
  /** How many failed in a row. */
  readonly failures: number;
  readonly detail: string;
}

/** Whether this worker is to make a trial: of several, one does within `intervalMs`. */
export async function claimTrial(database: Database, intervalMs: number): Promise<boolean> {
  const { rowCount } = await database.raw<{ rowCount: number }>(
    // A time ahead of the clock, which was set back, holds up none.
    `insert into ${TABLE} (tried_at) values (now()) on conflict (only_row) do update set tried_at = now()
    where ${TABLE}.tried_at not between ? and now()`,
    [nowPlusMs(database, -intervalMs)],
  );

  return rowCount === 1;
}

/** Records what became of a trial. */
export async function recordTrial(database: Database, { isAccepted, detail }: Trial): Promise<void> {
  await database(TABLE).update({ detail, failures: isAccepted ? 0 : database.raw('failures + 1') });
}

/** The last trial, if there was one. */
export function readTrial(database: Database): Promise<LastTrial | undefined> {
  return database(TABLE).whereNot({ detail: '' }).first<LastTrial | undefined>('tried_at as triedAt', 'failures', 'detail');
}
