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

/* Submits a trial request through PUBLIC_URL like a browser. Web runs all its checks, then rolls the request back. */

/** The stack's proxy, which always listens for plain HTTP here. */
const STACK_PROXY = 'http://proxy:3000';

const MAX_REDIRECTS = 5;

/** Timeout for each of the two calls. Together they must fit within a check's timeout. */
const CALL_TIMEOUT = 4 * Second;

interface Trial {
  readonly isAccepted: boolean;
  /** The result in one sentence, plus a note if the trial went to the stack's proxy. */
  readonly detail: string;
  /** Whether the trial went to the stack's proxy, because PUBLIC_URL can't be reached from here. */
  readonly wentThroughProxy: boolean;
}

class TrialError extends SiteError {}

/**
 * Failures that might not affect visitors. Perhaps it is only this process that can't reach the address or doesn't trust
 * the certificate.
 */
const UNREACHABLE_HERE =
  /^http-(?:E(?:NOTFOUND|AI_AGAIN|CONNREFUSED|HOSTUNREACH|NETUNREACH)|UND_ERR_CONNECT_TIMEOUT|timed-out|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER_CERT_LOCALLY|VERIFY_LEAF_SIGNATURE))$/;

interface TrialTarget {
  readonly client: OutboundClient;
  readonly start: string;
  readonly publicUrl: string;
  /** Host header, if it differs from the URL's host. */
  readonly host?: string;
}

const makeHeaders = ({ host }: TrialTarget) => (host === undefined ? {} : { host });

/** Opens the page and follows redirects. @returns the origin of the page */
async function openPage(target: TrialTarget): Promise<string> {
  let url = new URL(routePatterns.contact, target.start);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await target.client.call({
      ...{ method: 'GET', url: url.href, headers: makeHeaders(target), signal: AbortSignal.timeout(CALL_TIMEOUT) },
      ...{ maxResponseBytes: MAX_LISTING_BYTES, returnsRedirects: true },
    });
    const location = response.status >= 300 && response.status < 400 ? response.header('location') : undefined;
    if (location === undefined) {
      requirePage(url, response);

      return url.origin;
    }
    const next = URL.parse(location, url.href);
    if (!next) throw new TrialError(`${url.origin} redirects to ${location}, which is not a valid address.`);
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new TrialError(`${url.origin} redirects to ${next.origin}, which doesn't use TLS.`);
    }
    url = next;
  }
  throw new TrialError(`${target.start} redirects too many times.`);
}

function requirePage({ origin }: URL, { status, text }: OutboundResponse): void {
  if (status === 421) throw new TrialError(`${origin} responded with 421: the Host header that reaches the site doesn’t match PUBLIC_URL.`);
  if (status !== 200) throw new TrialError(`${origin} responded with ${status} instead of the contact page.`);
  if (!text.includes(`name="${honeypotName}"`)) throw new TrialError(`${origin} serves a page without the form.`);
}

async function postForm(target: TrialTarget, origin: string, secrets: readonly string[]): Promise<void> {
  const response = await target.client.call({
    method: 'POST',
    url: origin + apiPaths.contactSubmissions,
    headers: {
      ...makeHeaders(target),
      'content-type': 'application/json',
      // A browser sends the page's origin.
      origin: target.host === undefined ? origin : new URL(target.publicUrl).origin,
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
  throw new TrialError(describeStatus(response.status, origin, target.publicUrl));
}

function describeStatus(status: number, origin: string, publicUrl: string): string {
  if (status === 403) return `Forms sent from ${origin} are refused with 403: PUBLIC_URL is ${publicUrl}.`;
  if (status === 421) return `Forms are refused with 421: the Host header that reaches the site is not that of ${publicUrl}.`;

  return `Forms sent from ${origin} get a ${status} response.`;
}

/** Opens the page and posts the form. @throws TrialError, or DeliveryError if there is no response */
async function submitTrial(target: TrialTarget, secrets: readonly string[]): Promise<void> {
  await postForm(target, await openPage(target), secrets);
}

/**
 * Also submits a trial over the other scheme (HTTP or HTTPS) if the proxy serves the site there without redirecting.
 * The site may refuse forms from visitors who use that scheme.
 */
async function submitByOtherScheme(target: TrialTarget, secrets: readonly string[]): Promise<void> {
  const url = new URL(target.publicUrl);
  url.protocol = url.protocol === 'https:' ? 'http:' : 'https:';
  // If there is no response, or another site responds, visitors can't use the form over that scheme.
  const origin = await openPage({ ...target, start: url.href }).catch(() => undefined);
  if (origin !== undefined && origin !== new URL(target.publicUrl).origin) await postForm(target, origin, secrets);
}

const isUnreachableHere = (error: unknown): error is DeliveryError =>
  error instanceof DeliveryError && UNREACHABLE_HERE.test(error.reason);

/** Submits a trial to the stack's proxy. @throws `failure` (why PUBLIC_URL failed) if there is no such proxy */
async function submitThroughProxy(target: TrialTarget, secrets: readonly string[], proxy: string, failure: DeliveryError): Promise<void> {
  try {
    await submitTrial({ ...target, start: proxy, host: new URL(target.publicUrl).host }, secrets);
  } catch (error) {
    throw isUnreachableHere(error) ? failure : error;
  }
}

/** Submits a trial request and returns the result. */
export async function tryForm(
  { site: { publicUrl }, linkSecrets }: Pick<Config, 'site' | 'linkSecrets'>,
  proxy = STACK_PROXY,
  recorder?: Parameters<typeof createOutboundClient>[1],
): Promise<Trial> {
  const client = createOutboundClient([new URL(publicUrl).hostname, new URL(proxy).host], recorder);
  const target = { client, start: publicUrl, publicUrl };
  let proxyNote = '';
  const other = submitByOtherScheme(target, linkSecrets);
  // Awaited below, unless PUBLIC_URL itself fails.
  other.catch(() => undefined);

  try {
    await submitTrial(target, linkSecrets).catch(async (error: unknown) => {
      if (!isUnreachableHere(error)) throw error;
      await submitThroughProxy(target, linkSecrets, proxy, error);
      proxyNote = ` It went to the stack's proxy, because ${publicUrl} can't be reached from here. ${describeCallFailure(error)}`;
    });

    if (proxyNote === '') await other;

    return { isAccepted: true, detail: `A trial request was accepted.${proxyNote}`, wentThroughProxy: proxyNote !== '' };
  } catch (error) {
    const detail = error instanceof TrialError ? error.message : `${publicUrl}: ${describeCallFailure(toDeliveryError(error))}`;

    return { isAccepted: false, detail, wentThroughProxy: false };
  } finally {
    await client.close();
  }
}

const TABLE = 'form_trial';

interface LastTrial {
  readonly triedAt: Date;
  /** Consecutive failures. */
  readonly failures: number;
  readonly detail: string;
}

/** Returns whether this worker should submit a trial. Only one worker does so per `intervalMs`. */
export async function claimTrial(database: Database, intervalMs: number): Promise<boolean> {
  const { rowCount } = await database.raw<{ rowCount: number }>(
    // A time in the future, set by a wrong clock, doesn't prevent a trial.
    `insert into ${TABLE} (tried_at) values (now()) on conflict (only_row) do update set tried_at = now()
    where ${TABLE}.tried_at not between ? and now()`,
    [nowPlusMs(database, -intervalMs)],
  );

  return rowCount === 1;
}

/** Records the result of a trial. */
export async function recordTrial(database: Database, { isAccepted, detail }: Trial): Promise<void> {
  await database(TABLE).update({ detail, failures: isAccepted ? 0 : database.raw('failures + 1') });
}

/** Returns the last trial, if any. */
export function readTrial(database: Database): Promise<LastTrial | undefined> {
  return database(TABLE).whereNot({ detail: '' }).first<LastTrial | undefined>('tried_at as triedAt', 'failures', 'detail');
}
