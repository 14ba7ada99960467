import { describe, expect, onTestFinished, test } from 'vitest';
import { createFollowUpHandler, type FollowUpSettings } from '../../jobs/follow-up/send-follow-up.ts';
import { mapKinds, type FollowUpStage } from '../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { applyOutcome } from '../../shared/node/follow-up/apply-outcome.ts';
import { listTurns, setAbsence, takeTurn } from '../../shared/node/follow-up/sales-rotation.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { Hour } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { runJob, unobserved } from '../support/delivery-job.ts';
import { setUpOps, storeSubmission } from '../support/ops-fixture.ts';
import { openMailer } from '../support/open-mailer.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';
import { storePlannedRequest } from '../support/stored-requests.ts';

const [anna, ben, cora] = ['anna@sales.example', 'ben@sales.example', 'cora@sales.example'];
const sales = [`Anna <${anna}>`, ben, cora];
const promise = createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour });
const linkSecrets = ['s'.repeat(32)];
/** Days that are always in the past or in the future. */
const [PAST, FUTURE] = ['2020-01-01', '2999-12-31'];

/** Sets up a separate database and a mail server. */
async function setUp() {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  const sink = await startSmtpSink();
  const mailer = openMailer(sink.url);
  const addRequest = async () => (await storePlannedRequest(database)).submissionId;
  /** Makes a worker with these settings attempt one mail of a request now, even if it isn't due. */
  const send = async (submissionId: string, stage: FollowUpStage, changes: Partial<FollowUpSettings> = {}) => {
    const handler = createFollowUpHandler(database, mailer, {
      ...{ siteName: 'Praline', bookingUrl: undefined, publicUrl: 'https://www.example.com', linkSecrets, timeZone: 'UTC', promise },
      ...{ sales, assignment: 'rotate', ...changes },
    });
    const rows = () => database('deliveries').where({ submission_id: submissionId, stage, event_id: null });
    await rows().update({ due_at: database.fn.now(), retry_at: null });
    const row = await rows().first();
    const services = { ...unobserved, database, timings: productionTimings, handlers: mapKinds(() => handler) };
    await runJob(services, { deliveryId: row?.id });
  };
  const listMailed = () => sink.received.map(({ mail }) => mail.to?.map(({ address }) => address).join());
  const readAssignee = async (id: string) => {
    const row = await database('contact_submissions').where({ id }).first();

    return row?.assigned_to;
  };
  /** Assigns a new request to the next person without sending a mail. Returns that person's address. */
  const assignNext = async () => takeTurn(database, await addRequest(), sales);

  return { database, sink, addRequest, send, listMailed, readAssignee, assignNext };
}

const all = [anna, ben, cora].join();

describe('the next assignee', () => {
  test('is chosen in SALES_EMAIL order, skipping absent people, who get no backlog afterwards', async () => {
    const { database, assignNext } = await setUp();
    await setAbsence(database, 'Ben@Sales.Example', FUTURE, 'UTC');

    expect([await assignNext(), await assignNext(), await assignNext(), await assignNext()]).toEqual([anna, cora, anna, cora]);
    await database('sales_rotation').update({ away_until: database.fn.now() });

    expect([await assignNext(), await assignNext(), await assignNext(), await assignNext()]).toEqual([ben, anna, cora, ben]);
  });

  test('is nobody while everybody is absent, so everybody gets the request and it stays unassigned', async () => {
    const { database, sink, addRequest, send, listMailed, readAssignee } = await setUp();
    for (const address of [anna, ben, cora]) await setAbsence(database, address, FUTURE, 'UTC');
    sink.faults.push({ kind: 'refuse', code: 451 });
    const id = await addRequest();

    await send(id, 'new');
    await database('sales_rotation').update({ away_until: null });
    await send(id, 'new');

    expect(listMailed()).toEqual([all]);
    expect(await readAssignee(id)).toBeNull();
  });
});

describe('a request that is assigned by rotation', () => {
  test('is mailed only to the assignee, with a personal link, and its reminder and due notice go to everyone and name the assignee', async () => {
    const { sink, addRequest, send, listMailed, readAssignee } = await setUp();
    const id = await addRequest();

    await send(id, 'new');
    await send(id, 'reminder');
    await send(id, 'due');

    expect(listMailed()).toEqual([anna, all, all]);
    expect(await readAssignee(id)).toBe(anna);
    const [first, reminder, due] = sink.received.map(({ mail }) => mail.text?.replace(/\s+/g, ' ') ?? '');
    expect(first).toContain('It is your turn');
    expect(first).toMatch(/\/follow-up\/\S+\?as=/);
    expect(reminder).toContain(`given to ${anna} in turn`);
    for (const text of [reminder, due]) expect(text).toContain(`Assigned to: ${anna}`);
    expect(sink.received[1]?.mail.inReplyTo).toBe(sink.received[0]?.mail.messageId);
  });

  test('is reported to the assignee if a colleague takes it', async () => {
    const { database, addRequest } = await setUp();
    const id = await addRequest();
    await takeTurn(database, id, sales);

    await applyOutcome(database, id, { what: 'assign', to: ben }, { address: ben, isKnown: true });

    expect(await database('deliveries').where({ kind: 'outcome' }).pluck('recipient')).toEqual([anna]);
  });

  test('stays assigned if the worker exits before it sends the mail', async () => {
    const { database, sink, addRequest, send, listMailed, assignNext } = await setUp();
    const id = await addRequest();
    // The worker commits the assignment and then exits.
    expect(await takeTurn(database, id, sales)).toBe(anna);

    expect(await assignNext()).toBe(ben);
    sink.faults.push({ kind: 'refuse', code: 451 });
    await send(id, 'new');
    await send(id, 'new');

    expect(listMailed()).toEqual([anna]);
    expect(await database('submission_events').where({ what: 'rotate', submission_id: id })).toHaveLength(1);
  });

  test('is mailed to the others immediately if the assignee’s address is refused permanently, and stays assigned', async () => {
    const { database, sink, addRequest, send, listMailed, readAssignee } = await setUp();
    sink.refusedRecipients.set(anna, 550);
    const id = await addRequest();

    await send(id, 'new');

    expect(listMailed()).toEqual([[ben, cora].join()]);
    expect(sink.received[0]?.mail.text).not.toContain('It is your turn');
    expect(sink.received[0]?.mail.text?.replace(/\s+/g, ' ')).toContain(`The mailbox of Anna <${anna}> refuses mail: please take`);
    expect(await readAssignee(id)).toBe(anna);
    expect(await database('deliveries').where({ submission_id: id, stage: 'new' }).first('state')).toEqual({ state: 'sent' });
  });
});

test('with SALES_ASSIGNMENT=all or a single address, nobody is assigned', async () => {
  const { database, addRequest, send, listMailed } = await setUp();

  await send(await addRequest(), 'new', { assignment: 'all' });
  await send(await addRequest(), 'new', { sales: [anna] });

  expect(listMailed()).toEqual([all, anna]);
  expect(await database('submission_events').where({ what: 'rotate' })).toEqual([]);
  expect(await database('sales_rotation')).toEqual([]);
});

describe('ops sales', () => {
  const settings = { SALES_EMAIL: sales.join(), SALES_ASSIGNMENT: 'rotate', TIME_ZONE: 'Europe/Vienna' };

  test('away includes the last day and prints the exact end, and back ends the absence', async () => {
    const { database, ops } = await setUpOps(settings);

    const away = await ops('sales', 'away', 'Anna@Sales.example', '--until', '2999-01-07');

    expect(away).toMatchObject({ exitCode: 0, errorOutput: '' });
    expect(away.output).toContain(
      `${anna} gets no requests until Tuesday, January 8, 2999 at 12:00 AM GMT+1 (Europe/Vienna).`,
    );
    expect((await listTurns(database, sales)).map(({ address }) => address)).toEqual([ben, cora, anna]);
    expect((await ops('sales', 'back', anna)).output).toContain(`${anna} gets requests again.`);
    expect((await ops('sales', 'back', anna)).output).toContain(`${anna} was not away.`);
    expect((await listTurns(database, sales)).map(({ address }) => address)).toEqual([anna, ben, cora]);
  });

  test('list shows the order of turns, with absent people last', async () => {
    const { database, ops } = await setUpOps(settings);
    await takeTurn(database, await storeSubmission(database), sales);
    await ops('sales', 'away', ben, '--until', '2999-01-07');

    const table = await ops('sales', 'list');
    const json: unknown = JSON.parse((await ops('sales', 'list', '--json')).output);

    expect(table.output).toMatch(/1\D+cora@.*\n(?:.*\n)?.*2\D+anna@.*\n(?:.*\n)?.*ben@.*Jan 8, 2999/);
    expect(json).toEqual([
      { address: cora, last_assigned_at: null, away_until: null },
      { address: anna, last_assigned_at: expect.any(String) as unknown, away_until: null },
      { address: ben, last_assigned_at: null, away_until: '2999-01-07T23:00:00.000Z' },
    ]);
  });

  test.each([
    ['an address that is not in SALES_EMAIL', ['mallory@example.org', '--until', FUTURE], 1, `mallory@example.org is not in SALES_EMAIL, which contains: ${anna}, ${ben}, ${cora}.`],
    ['a day in the past', [anna, '--until', PAST], 1, `${PAST} has already ended in Europe/Vienna.`],
    ['an invalid day', [anna, '--until', '2027-02-30'], 2, 'It must be a date like 2026-11-01.'],
  ])('away refuses %s', async (_what, args, exitCode, message) => {
    const { database, ops } = await setUpOps(settings);

    const result = await ops('sales', 'away', ...args);

    expect(result.exitCode).toBe(exitCode);
    expect(result.errorOutput).toContain(message);
    expect(await database('sales_rotation')).toEqual([]);
  });
});
