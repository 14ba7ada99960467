import assert from 'node:assert/strict';
import type { Email } from 'postal-mime';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Stack } from './stack.ts';

/** All mails of one request. */
const ALL_STAGES = ['due', 'new', 'reminder'];

const LONG = 180_000;

export function getHeader(mail: Email, key: string): string | undefined {
  return mail.headers.find((header) => header.key === key)?.value;
}

/** Posts a new request, which must be taken at once. */
export async function postNew(stack: Stack): Promise<string> {
  const body = makeContactBody();
  const answer = await postContact(stack.origin, body);
  assert.equal(answer.status, 201, await answer.text());

  return body.id;
}

/** What a visitor saw until a request was taken: how often it had to be sent again, and why. */
export interface Patience {
  readonly id: string;
  readonly failures: readonly string[];
}

/** Posts as a visitor does who tries again until it is taken: always the same form. */
export async function postPatiently(stack: Stack): Promise<Patience> {
  const body = makeContactBody();
  const failures: string[] = [];
  await waitFor(
    `the request ${body.id} to be taken`,
    async () => {
      const answer = await postContact(stack.origin, body).catch((error: unknown) => String(error));
      if (typeof answer !== 'string' && answer.ok) return true;
      failures.push(typeof answer === 'string' ? answer : String(answer.status));

      return false;
    },
    LONG,
  );

  return { id: body.id, failures };
}

/** The mails about a request, as they lie in the worker's folder. */
export async function readMailsOf(stack: Stack, id: string): Promise<Email[]> {
  const mails = await stack.readMails();

  return mails.filter((mail) => getHeader(mail, 'x-submission-id') === id);
}

async function countOpen(stack: Stack, ids: readonly string[], stages: readonly string[]) {
  const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
  const [row] = await stack.query<{ readonly open: number; readonly known: number }>(`
    select count(*) filter (where state <> 'sent') as open, count(distinct submission_id) as known
    from deliveries
    where submission_id in (${list(ids)}) and coalesce(stage, 'new') in (${list(stages)})`);

  return row ?? { open: 0, known: 0 };
}

/**
 * Waits until everything a request leads to has been done, and holds that it was done once: its
 * mails, and one line in the export.
 */
export async function expectDelivered(
  stack: Stack,
  ids: readonly string[],
  stages: readonly string[] = ALL_STAGES,
): Promise<void> {
  await waitFor(
    `the deliveries of ${ids.length} requests`,
    async () => {
      const { open, known } = await countOpen(stack, ids, stages);

      return open === 0 && known === ids.length;
    },
    LONG,
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
