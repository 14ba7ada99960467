import assert from 'node:assert/strict';
import type { Email } from 'postal-mime';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { waitForStack, type Stack } from './stack.ts';

/** The stages of all mails about one request. */
const ALL_STAGES = ['due', 'new', 'reminder'];

export function getHeader(mail: Email, key: string): string | undefined {
  return mail.headers.find((header) => header.key === key)?.value;
}

/**
 * Repeats a request while the response is 503. On a machine that runs three stacks, PostgreSQL may be slower than web's
 * timeouts allow.
 */
export function askUntilAnswered(what: string, ask: () => Promise<Response>): Promise<Response> {
  return waitForStack(`a response to ${what}`, async () => {
    const response = await ask();

    return response.status !== 503 && response;
  });
}

/** Posts a new request and expects it to be accepted. */
export async function postNew(stack: Stack): Promise<string> {
  const body = makeContactBody();
  const response = await askUntilAnswered(`the request ${body.id}`, () => postContact(stack.origin, body));
  assert.ok(response.ok, `${response.status}: ${await response.text()}`);

  return body.id;
}

/** Posts a stored request again and expects the response to a repeat. */
export async function postRepeat(stack: Stack, id: string): Promise<void> {
  const body = makeContactBody({ id });
  const response = await askUntilAnswered(`the repeat of ${id}`, () => postContact(stack.origin, body));
  assert.equal(response.status, 200, await response.text());
}

export interface RetriedPost {
  readonly id: string;
  /** The status or error of each failed attempt. */
  readonly failures: readonly string[];
}

/** Posts a form until it is accepted, as a visitor would. */
export async function postWithRetries(stack: Stack): Promise<RetriedPost> {
  const body = makeContactBody();
  const failures: string[] = [];
  await waitForStack(
    `the request ${body.id} to be accepted`,
    async () => {
      const response = await postContact(stack.origin, body).catch((error: unknown) => String(error));
      if (typeof response !== 'string' && response.ok) return true;
      failures.push(typeof response === 'string' ? response : String(response.status));

      return false;
    },
  );

  return { id: body.id, failures };
}

/** Returns the mails about a request from the worker's folder. */
export async function readMailsOf(stack: Stack, id: string): Promise<Email[]> {
  const mails = await stack.readMails();

  return mails.filter((mail) => getHeader(mail, 'x-submission-id') === id);
}

async function countUnsent(stack: Stack, ids: readonly string[], stages: readonly string[]) {
  const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
  const [row] = await stack.query<{ readonly open: number; readonly known: number }>(`
    select count(*) filter (where state <> 'sent') as open, count(distinct submission_id) as known
    from deliveries
    where submission_id in (${list(ids)})
      -- All requests have the same address, which gets one acknowledgment a day.
      and kind <> 'acknowledgment' and coalesce(stage, 'new') in (${list(stages)})`);

  return row ?? { open: 0, known: 0 };
}

/**
 * Waits until every delivery for the requests is sent. Each request must have exactly one mail per stage and one line
 * in the export.
 */
export async function expectDelivered(
  stack: Stack,
  ids: readonly string[],
  stages: readonly string[] = ALL_STAGES,
): Promise<void> {
  await waitForStack(
    `the deliveries of ${ids.length} requests`,
    async () => {
      const { open, known } = await countUnsent(stack, ids, stages);

      return open === 0 && known === ids.length;
    },
  );
  const mails = await stack.readMails();
  const lines = ((await stack.readExports()).get('submissions.ndjson') ?? '').split('\n');
  for (const id of ids) {
    const sent = mails.filter((mail) => getHeader(mail, 'x-submission-id') === id);
    const sentStages = sent.map((mail) => getHeader(mail, 'x-delivery-stage') ?? '').sort();
    assert.deepEqual(sentStages, [...stages].sort(), `mails of ${id}`);
    assert.equal(lines.filter((line) => line.includes(id)).length, 1, `exports of ${id}`);
  }
}
