import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { beforeAll, describe, expect, test } from 'vitest';
import { createOutcomeHandler } from '../../jobs/follow-up/send-outcome.ts';
import { createFollowUpHandler } from '../../jobs/follow-up/send-follow-up.ts';
import { formatMonthDay, formatTime } from '../../shared/format-time.ts';
import { recordAskedAgain } from '../../shared/node/follow-up/asked-again.ts';
import { planDeliveries } from '../../shared/deliveries/delivery.ts';
import { claimDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { IS_WANTED } from '../../shared/node/deliveries/delivery-table.ts';
import { insertDeliveries } from '../../shared/node/deliveries/delivery-store.ts';
import { createFileMailer } from '../../shared/node/mail/file-mailer.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { markReader, signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { Day, Hour, Minute } from '../../shared/time.ts';
import { buildTestApp, type TestApp } from '../support/build-test-app.ts';
import { storeSubmission } from '../support/ops-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const COOKIE_SECRET = 's'.repeat(32);
const secrets = [COOKIE_SECRET];
const [anna, ben, cora] = ['anna@sales.example', 'ben@sales.example', 'cora@sales.example'];
const sales = [`Anna <${anna}>`, ben, cora];

let app: TestApp;

beforeAll(async () => {
  app = await buildTestApp({ COOKIE_SECRET, SALES_EMAIL: sales.join(', '), TIME_ZONE: 'Europe/Vienna' });

  return app.close;
});

/** Sends a request, and repeats it while the busy machine responds with 503. */
const fetchPage = (path: string, init?: RequestInit): Promise<Response> =>
  waitFor('a response', async () => {
    const response = await app.fetch(path, init);

    return response.status !== 503 && response;
  });

/** Stores a request from an hour ago whose first mail was sent. Returns functions that use its page as sales would. */
async function makeRequest(changes = {}) {
  const { database } = app;
  const id = await storeSubmission(database, {
    received_at: database.raw("now() - interval '1 hour'"),
    ...changes,
  });
  await database.transaction((transaction) =>
    insertDeliveries(
      transaction,
      { submission_id: id },
      planDeliveries({ reminderAfter: 19 * Hour, dueAfter: 23 * Hour, acknowledges: false, hasChat: false }),
    ),
  );
  const rows = () => database('deliveries').where({ submission_id: id });
  await rows().where({ stage: 'new' }).update({ state: 'sent', sent_at: database.fn.now() });
  const token = signLinkToken('follow-up', id, secrets);
  /** The page's path for a reader with this address, or for an unknown reader by default. */
  const pathOf = (address?: string) =>
    pathTo.followUp(token, address && markReader(token, { address, isKnown: true }, secrets));
  const post = (form: Record<string, string> | string[][], address?: string) =>
    fetchPage(pathOf(address), { method: 'POST', body: new URLSearchParams(form) });
  const read = async () => ({
    row: await database('contact_submissions').where({ id }).first(),
    mails: await rows().where({ kind: 'follow-up' }).orderBy(['due_at', 'id']),
    events: await database('submission_events').where({ submission_id: id }).orderBy('at'),
  });
  /** The pending mails: stage, recipient and due time in hours from now. */
  const listPending = async () => {
    const pending = await rows().where({ kind: 'follow-up', state: 'pending' }).whereRaw(IS_WANTED).orderBy('due_at');

    return pending.map(({ stage, recipient, due_at: dueAt }) => [
      stage,
      recipient,
      Math.round((dueAt.getTime() - Date.now()) / Hour),
    ]);
  };

  return { database, id, rows, pathOf, post, read, listPending };
}

/** Sends a request's mail as the worker does, and returns it. */
async function send(deliveryId: string, createHandler = createFollowUpHandler) {
  const folder = makeTemporaryFolder();
  const handler = createHandler(app.database, createFileMailer(folder, 'site@example.com'), {
    ...{ siteName: 'Praline', bookingUrl: undefined, publicUrl: app.origin, linkSecrets: secrets, sales, assignment: 'all' },
    ...{ timeZone: 'UTC', promise: createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour }) },
  });
  const claimed = await claimDelivery(app.database, deliveryId, { token: deliveryId, ms: 1 * Minute });
  if (!claimed) throw new Error('The delivery was not claimed.');
  await handler(claimed, AbortSignal.timeout(1 * Minute));
  const [file = ''] = await readdir(folder);

  return PostalMime.parse(await readFile(join(folder, file)));
}

test('opening a request’s page changes nothing', async () => {
  const { pathOf, read } = await makeRequest();
  const before = await read();

  expect((await fetchPage(pathOf(anna))).status).toBe(200);
  expect(await read()).toEqual(before);
});

describe('marking a request as contacted', () => {
  test.each([
    ['cancels mails before their hand-over', null, 'No more reminders'],
    ['shows that a handed-over mail is being sent', new Date(), 'is being sent right now'],
  ])('%s', async (_what, handedOverAt, words) => {
    const { database, post, rows, id, listPending } = await makeRequest();
    const leased = { state: 'leased', lease_until: database.raw("now() + interval '1 minute'"), lease_token: id } as const;
    await rows().where({ stage: 'reminder' }).update({ ...leased, handed_over_at: handedOverAt });

    expect(await (await post({}, anna)).text()).toContain(words);
    expect(await listPending()).toEqual([]);
  });

  test('twice changes nothing further and shows the same time', async () => {
    const { post, read } = await makeRequest();

    const first = await (await post({}, anna)).text();
    const marked = await read();

    expect(await (await post({}, anna)).text()).toBe(first);
    expect(await read()).toEqual(marked);
  });
});

describe('snoozing a request', () => {
  const inForty = new Date(Date.now() + 40 * Hour).toISOString();

  test.each<[string, Record<string, string>, string, unknown[][]]>([
    [
      'until a time before the promised time adds a reminder for the reader and keeps the planned mails',
      { until: '2h' },
      'Snoozed. A reminder will be sent on',
      [['reminder', anna, 2], ['reminder', null, 19], ['due', null, 23]],
    ],
    [
      'beyond the promised time delays earlier reminders, but not the mail at the promised time',
      { until: inForty },
      'That is after the promised time',
      [['due', null, 23], ['reminder', anna, 40]],
    ],
    [
      'beyond the promised time also delays the mail at that time if sales chooses that',
      { until: inForty, past_promise: 'yes' },
      'Snoozed. A reminder will be sent on',
      [['due', null, 40]],
    ],
  ])('%s', async (_rule, form, words, pending) => {
    const { post, listPending, read } = await makeRequest();

    const html = await (await post({ action: 'snooze', ...form }, anna)).text();
    await post({ action: 'snooze', ...form }, anna);

    expect(html).toContain(words);
    expect(await listPending()).toEqual(pending);
    const { row, events } = await read();
    expect(events).toMatchObject([{ what: 'snooze', by: anna, until: row?.snoozed_until }]);
  });

  test('again replaces the earlier time, and a day means 9:00 in the site’s time zone', async () => {
    const { post, rows, database } = await makeRequest();

    await post({ action: 'snooze', until: '2h' }, anna);
    await post({ action: 'snooze', until: 'tomorrow' }, ben);

    const reminders = await rows().whereNotNull('event_id').whereRaw(IS_WANTED);
    expect(reminders.map(({ recipient }) => recipient)).toEqual([ben]);
    const local = await database.raw<{ rows: Array<{ time: string }> }>(
      "select to_char(? at time zone 'Europe/Vienna', 'HH24:MI') as time",
      [reminders[0]?.due_at ?? null],
    );
    expect(local.rows).toEqual([{ time: '09:00' }]);
  });

  test.each([
    ...['', 'soon', '2026-02-31', '2020-01-01', '2999-01-01', '2026-13-01T09:00'],
    // JavaScript accepts this year and this time zone, but PostgreSQL doesn't.
    ...['0000-01-01', '2027-01-01T09:00+23:00'],
  ])('until ‘%s’ is refused with a message and changes nothing', async (until) => {
    const { post, read } = await makeRequest();
    const before = await read();

    const response = await post({ action: 'snooze', until }, anna);

    expect(response.status).toBe(422);
    expect(await response.text()).toContain('Please choose a future day');
    expect(await read()).toEqual(before);
  });
});

test('handing a request over mails it to that person once, in the first mail’s thread, with a personal link', async () => {
  const { post, rows, read } = await makeRequest();
  const first = await rows().where({ stage: 'new' }).first();

  const html = await (await post({ action: 'assign', to: ben }, anna)).text();
  await post({ action: 'assign', to: ben }, anna);

  expect(html.replaceAll('<!-- -->', '')).toContain(`Assigned to ${ben}.`);
  const { row, mails } = await read();
  expect(row?.assigned_to).toBe(ben);
  const [added, ...others] = mails.filter(({ event_id: eventId }) => eventId !== null);
  expect(others).toEqual([]);
  const mail = await send(added?.id ?? '');
  expect(mail).toMatchObject({
    to: [{ address: ben }],
    inReplyTo: `<follow-up-new-${first?.id}@example.com>`,
    subject: '[Praline] New assessment request: Example Sweets',
  });
  expect(mail.text).toContain(`${anna} handed this request to you.`);
  await fetchPage(findLink(mail.text), { method: 'POST' });
  expect((await read()).events).toMatchObject([{ by: anna }, { what: 'contacted', by: ben }]);
});

test('a request that is marked as not a fit gets no more mails, and the reason is stored', async () => {
  const { post, read, listPending } = await makeRequest();

  const html = await (await post({ action: 'unfit', reason: ' too small ' }, cora)).text();
  await post({ action: 'contacted' }, ben);

  expect(html).toContain('Marked as not a fit on');
  expect((await read()).row).toMatchObject({ unfit_reason: 'too small', contacted_at: null });
  expect(await listPending()).toEqual([]);
});

describe('undoing', () => {
  test.each<[string, Record<string, string>]>([
    ['‘contacted’', {}],
    ['‘not a fit’', { action: 'unfit', reason: 'no' }],
    ['a snooze', { action: 'snooze', until: new Date(Date.now() + 30 * Hour).toISOString(), past_promise: 'yes' }],
    ['a hand-over', { action: 'assign', to: ben }],
  ])('%s restores the request and its mails to their earlier state, once', async (_what, form) => {
    const { database, post, read, rows } = await makeRequest();
    await rows()
      .where({ stage: 'reminder' })
      .update({ attempts: 2, last_error: 'smtp-451', retry_at: database.raw("due_at + interval '5 minutes'") });
    await rows().where({ stage: 'due' }).update({ state: 'dead', last_error: 'smtp-550', attempts: 1 });
    const before = await read();
    await post(form, anna);
    const done = await read();
    expect(done.row).not.toEqual(before.row);

    await post({ action: 'undo', event: done.events[0]?.id ?? '' }, ben);
    const undone = await read();
    await post({ action: 'undo' }, ben);
    await post({ action: 'undo', event: done.events[0]?.id ?? '' }, ben);

    expect(undone.row).toEqual(before.row);
    expect(undone.mails.filter(({ event_id: eventId }) => eventId === null)).toEqual(before.mails);
    expect(await rows().whereNotNull('event_id').whereRaw(IS_WANTED)).toEqual([]);
    expect(undone.events).toMatchObject([{ by: anna, undone_by: ben }]);
    expect(await read()).toEqual(undone);
  });

  test('is impossible after ten minutes for an unknown reader', async () => {
    const { database, post, read, id } = await makeRequest();
    await post({});
    await database('submission_events')
      .where({ submission_id: id })
      .update({ at: database.raw("now() - interval '11 minutes'") });
    const before = await read();

    const html = await (await post({ action: 'undo' })).text();

    expect(html).not.toContain('Undo ');
    expect(await read()).toEqual(before);
  });
});

/** Returns the path of the link in a mail. */
const findLink = (text = '') => new RegExp(`${app.origin}(/follow-up/\\S+)`).exec(text)?.[1] ?? '';

describe('the mail about an outcome', () => {
  const all = [anna, ben, cora];

  test.each<[string, Record<string, string>, string[], string, string?]>([
    ['Marked as contacted', {}, [ben, cora], `${anna} marked this request as contacted.`, anna],
    ['Marked as not a fit', { action: 'unfit' }, [ben, cora], `${anna} marked this request as not a fit.`, anna],
    ['Handed over', { action: 'assign', to: ben }, [cora], `${anna} handed this request to ${ben}.`, anna],
    ['Taken over', { action: 'assign', to: anna }, [ben, cora], `${anna} took this request.`, anna],
    ['Snoozed', { action: 'snooze', until: 'tomorrow', past_promise: 'yes' }, [ben, cora], `${anna} put this request off until`, anna],
    ['Marked as contacted', {}, all, 'Someone using the link in a mail marked this request as contacted'],
    ['Taken over', { action: 'assign', reader: ben }, all, `Someone acting as ${ben} took this request`],
  ])('is sent once in the thread (%s, %j), to %j: %s', async (name, form, recipients, words, by) => {
    const { post, rows } = await makeRequest();
    const first = await rows().where({ stage: 'new' }).first();
    await post(form, by);
    await post(form, by);

    const [outcome, ...others] = await rows().where({ kind: 'outcome' });
    expect(others).toEqual([]);
    const mail = await send(outcome?.id ?? '', createOutcomeHandler);
    expect(mail).toMatchObject({
      subject: `[Praline] ${name}: Example Sweets`,
      to: recipients.map((address) => expect.objectContaining({ address }) as unknown),
      inReplyTo: `<follow-up-new-${first?.id}@example.com>`,
    });
    expect(mail.replyTo).toBeUndefined();
    expect(mail.text?.replace(/\s+/g, ' ')).toContain(words);
  });

  test('has a link that can undo the outcome a day later, and another mail tells everyone that it was undone', async () => {
    const { database, id, post, read, rows } = await makeRequest();
    const before = await read();
    await post({});
    const outcome = await rows().where({ kind: 'outcome' }).first();
    const mail = await send(outcome?.id ?? '', createOutcomeHandler);
    await rows().where({ kind: 'outcome' }).update({ state: 'sent', lease_token: null, lease_until: null });
    await database('submission_events').where({ submission_id: id }).update({ at: database.raw("now() - interval '1 day'") });

    const html = await (await fetchPage(findLink(mail.text), { method: 'POST', body: new URLSearchParams({ action: 'undo', reader: ben }) })).text();

    expect(html).toContain('was undone on');
    expect((await read()).row).toEqual(before.row);
    const undone = await rows().where({ kind: 'outcome-undone' }).first();
    const second = await send(undone?.id ?? '', createOutcomeHandler);
    expect(second.subject).toBe('[Praline] Undone: Marked as contacted: Example Sweets');
    expect(second.to?.map(({ address }) => address)).toEqual(all);
    expect(second.text?.replace(/\s+/g, ' ')).toContain(`${ben} undid ‘Marked as contacted’.`);
  });

  test('is not sent for a snooze before the promised time, nor for an outcome that is undone before its mail is sent', async () => {
    const { post, rows } = await makeRequest();
    await post({ action: 'snooze', until: '2h' }, anna);
    await post({}, anna);
    await post({ action: 'undo' }, anna);

    expect(await rows().whereIn('kind', ['outcome', 'outcome-undone'])).toMatchObject([{ state: 'cancelled' }]);
  });
});

// Replies to these mails go to the visitor and may quote the link.
describe('a link in a follow-up mail', () => {
  test.each([['without a reader', undefined], ['for a salesperson', anna]])('%s shows only the request', async (_what, address) => {
    const email = `${randomUUID()}@quoted.example`;
    const old = await makeRequest({ email, name: 'Earlier Person', received_at: new Date('2026-01-02T09:00:00Z') });
    await old.post({}, cora);
    const { id, post } = await makeRequest({ email, message: 'Plain words.' });
    await post({ action: 'assign', to: ben }, cora);
    await post({ action: 'unfit', reason: 'too small' }, cora);
    const token = signLinkToken('follow-up', id, secrets);
    const mark = address && markReader(token, { address, isKnown: false }, secrets);

    const html = await (await fetchPage(pathTo.followUp(token, mark))).text();

    for (const shown of [email, 'Plain words.', 'Marked as not a fit on']) expect(html).toContain(shown);
    for (const hidden of ['Earlier Person', 'too small', ...[anna, ben, cora]]) expect(html).not.toContain(hidden);
  });

  test('can’t be used to take a settled request, so only one person answers', async () => {
    const { post, read } = await makeRequest();
    const reply = { action: 'contacted', reply: 'yes' };
    expect((await post({ ...reply, reader: ben })).status).toBe(200);

    const response = await post({ ...reply, reader: cora });

    expect([response.status, await response.json()]).toMatchObject([409, { code: 'already-settled' }]);
    expect((await read()).events.map(({ by }) => by)).toEqual([ben]);
  });

  test.each([
    ['the reader that the link names', {}, anna, anna],
    ['the reader that the browser names', { reader: ben }, anna, ben],
    ['nobody, if the browser’s address is not a sales address', { reader: 'somebody@else.example' }, undefined, null],
  ])('attributes an outcome to %s', async (_who, form, linked, by) => {
    const { post, read } = await makeRequest();

    await post({ action: 'assign', to: cora, ...form }, linked);
    expect((await read()).events).toMatchObject([{ by }]);

    await post({ action: 'assign', ...form }, linked);
    expect((await read()).row?.assigned_to).toBe(by ?? cora);
  });

  test('changes a request at most ten times a day, and a link in a mail about an outcome has no such limit', async () => {
    const { post, read, rows } = await makeRequest();
    for (let count = 0; count < 5; count += 1) {
      await post({ action: 'assign', to: ben });
      await post({ action: 'assign', to: cora });
    }

    expect((await post({ action: 'contacted' })).status).toBe(429);
    expect(await rows().where({ kind: 'outcome' })).toHaveLength(10);
    expect((await read()).row?.contacted_at).toBeNull();
    expect((await post({ action: 'contacted' }, anna)).status).toBe(200);
    expect(await rows().where({ kind: 'outcome' })).toHaveLength(11);
  });
});

describe('a request within 30 days of an earlier one', () => {
  /** Stores two requests. The second one's first mail is pending. */
  async function makeTwo(firstChanges: object, secondChanges: object) {
    const received = app.database.raw("now() - interval '29 days'");
    const first = await makeRequest({ received_at: received, name: 'Dana Smith', company: randomUUID(), email: `${randomUUID()}@gmail.com`, ...firstChanges });
    const second = await makeRequest({ company: randomUUID(), email: `${randomUUID()}@gmail.com`, ...secondChanges });
    const [mail] = await second.rows().where({ stage: 'new' }).update({ state: 'pending', sent_at: null }).returning('id');
    const listNotes = () =>
      first.rows().where({ kind: 'outcome' }).whereIn('event_id', app.database('submission_events').where({ what: 'asked-again' }).select('id'));

    return { first, second, deliveryId: mail?.id ?? '', listNotes };
  }

  const [company, email, domain] = [randomUUID(), `${randomUUID()}@gmail.com`, `${randomUUID()}.example`];

  test.each([
    ['the same address', { email }, { email: email.toUpperCase() }],
    ['the same domain', { email: `one@${domain}` }, { email: `two@${domain}` }],
    ['the same company', { company: `  ${company} ` }, { company: company.toUpperCase() }],
  ])('from %s has a link to the earlier one, whose thread gets one note', async (_what, one, other) => {
    const { first, second, deliveryId, listNotes } = await makeTwo(one, other);
    await first.post({}, anna);
    const { row, mails } = await first.read();

    const mail = await send(deliveryId);

    const day = formatMonthDay(row?.received_at ?? new Date(), 'UTC');
    const answered = formatTime(row?.contacted_at ?? new Date(), 'UTC', 'short');
    expect(mail.text?.replace(/\s+/g, ' ')).toContain(`Earlier request: Dana Smith already asked on ${day} (answered by ${anna} on ${answered})`);
    expect(findLink(mail.text?.split('Open the earlier request: ')[1])).toContain(first.id);
    const [note] = await listNotes();
    const noteMail = await send(note?.id ?? '', createOutcomeHandler);
    expect(noteMail).toMatchObject({ subject: `[Praline] Asked again: ${(await second.read()).row?.company}`, inReplyTo: `<follow-up-new-${mails[0]?.id}@example.com>` });
    expect(noteMail.text).toContain('The same address or company sent another request.');
    expect(findLink(noteMail.text)).toContain(second.id);

    await recordAskedAgain(app.database, first.id, second.id, sales);
    expect(await listNotes()).toHaveLength(1);
  });

  test.each([
    ['the assignee of the earlier one', cora, cora],
    ['everyone, if that assignee has left sales', 'gone@sales.example', null],
  ])('is reported to %s', async (_whom, assignee, recipient) => {
    const { first, second, listNotes } = await makeTwo({ assigned_to: assignee }, {});

    await recordAskedAgain(app.database, first.id, second.id, sales);

    expect(await listNotes()).toEqual([expect.objectContaining({ recipient })]);
  });

  test.each<[string, object]>([
    ['received 31 days ago', { received_at: new Date(Date.now() - 31 * Day) }],
    ['that is held', { quarantined_at: new Date() }],
    ['that is erased', { anonymised_at: new Date() }],
    ['that shares only the email provider', { company: 'Another Company' }],
  ])('doesn’t mention an earlier one %s', async (_what, changes) => {
    const shared = randomUUID();
    const { deliveryId, listNotes } = await makeTwo({ company: shared, ...changes }, { company: shared });

    expect((await send(deliveryId)).text).not.toContain('already asked');
    expect(await listNotes()).toEqual([]);
  });
});

test('the page shows how many requests came from a domain, and who answered the last one', async () => {
  const domain = 'returning.example';
  const old = await makeRequest({ email: `Old.One@${domain}`, received_at: new Date('2026-01-02T09:00:00Z') });
  await old.post({}, anna);
  await makeRequest({ email: `x@${domain}.example`, received_at: new Date('2026-01-02T09:00:00Z') });
  const { pathOf } = await makeRequest({ email: `new@${domain}` });

  const html = await (await fetchPage(pathOf(ben))).text();

  expect(html.replaceAll('<!-- -->', '')).toMatch(/2nd request from returning\.example; last answered by anna@sales\.example on \w+, /);
});

test('a POST with two actions is refused, and neither action is recorded', async () => {
  const { post, read } = await makeRequest();

  expect((await post([['action', 'unfit'], ['action', 'snooze']], anna)).status).toBe(400);
  expect((await read()).events).toEqual([]);
});
