import assert from 'node:assert/strict';
import { Agent, fetch } from 'undici';
import { apiPaths, routePatterns } from '../../shared/paths.ts';
import { makeContactBody } from '../support/contact-request.ts';
import type { Stack } from './stack.ts';

/** Requests per second. One is a contact request, the others are page requests. */
const RATE = 20;

/** The results of visitors who arrive one after another. */
export interface Load {
  readonly sent: number;
  /** Ids of the requests that were accepted. */
  readonly accepted: readonly string[];
  /** Each failed request's time and its status or connection error. */
  readonly failures: readonly string[];
  /** How long the slowest request took, in milliseconds. */
  readonly slowest: number;
}

/** Returns the connection's error, which is the cause of undici's error. */
function describe(error: unknown): string {
  const { cause } = error as Error;

  return String(cause instanceof Error ? cause : error);
}

/** Sends requests at a steady rate, each on a new connection, until `end` is called. */
export function startLoad(origin: string) {
  const dispatcher = new Agent({ pipelining: 0 });
  const startedAt = performance.now();
  const accepted: string[] = [];
  const failures: string[] = [];
  const open = new Set<Promise<void>>();
  let sent = 0;
  let slowest = 0;

  const post = async () => {
    const body = makeContactBody();
    const headers = { 'content-type': 'application/json' };
    const options = { method: 'POST', headers, body: JSON.stringify(body), dispatcher };
    const response = await fetch(origin + apiPaths.contactSubmissions, options);
    if (response.status === 201) accepted.push(body.id);

    return response;
  };
  const send = async () => {
    const isPost = sent % RATE === 0;
    const sentAt = performance.now();
    sent += 1;
    const what = isPost ? 'post' : 'page';
    try {
      const response = await (isPost ? post() : fetch(origin + routePatterns.home, { dispatcher }));
      // Reads the whole body, because a truncated page is also a failure.
      await response.arrayBuffer();
      if (!response.ok) failures.push(`${what} at ${Math.round(sentAt - startedAt)} ms: ${response.status}`);
    } catch (error) {
      failures.push(`${what} at ${Math.round(sentAt - startedAt)} ms: ${describe(error)}`);
    }
    slowest = Math.max(slowest, performance.now() - sentAt);
  };
  const timer = setInterval(() => {
    const one: Promise<void> = send().finally(() => open.delete(one));
    open.add(one);
  }, 1000 / RATE);

  return {
    end: async (): Promise<Load> => {
      clearInterval(timer);
      await Promise.all(open);
      await dispatcher.close();

      return { sent, accepted, failures, slowest };
    },
  };
}

/**
 * Runs `change` under visitor load. No request may fail, and every accepted one must be stored.
 * @param isTolerated returns whether a failure is allowed
 */
export async function expectNoFailure(
  stack: Stack,
  change: () => Promise<unknown>,
  isTolerated: (failure: string) => boolean = () => false,
): Promise<void> {
  const load = startLoad(stack.origin);
  const [outcome] = await Promise.allSettled([change()]);
  const { sent, accepted, failures, slowest } = await load.end();
  if (outcome.status === 'rejected') throw outcome.reason;
  assert.deepEqual(failures.filter((failure) => !isTolerated(failure)), [], `Some of the ${sent} requests failed.`);
  const ids = accepted.map((id) => `'${id}'`).join(', ');
  const [row] = await stack.query<{ readonly count: number }>(
    `select count(*) from contact_submissions where id in (${ids})`,
  );
  assert.equal(row?.count, accepted.length);
  process.stdout.write(`        ${sent} requests, the slowest took ${Math.round(slowest)} ms\n`);
}
