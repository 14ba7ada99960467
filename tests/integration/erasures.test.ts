import { createHmac, randomUUID } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { holdDeliveries } from '../../shared/node/deliveries/delivery-hold.ts';
import { applyErasures } from '../../shared/node/erasure/apply-erasures.ts';
import { eraseSubject, findSpellings, findStoredData } from '../../shared/node/erasure/erase-subject.ts';
import {
  appendToErasureLogFile,
  checkErasureLogFile,
  ErasureLogFileError,
  readErasureLogFile,
} from '../../shared/node/erasure/erasure-log-file.ts';
import {
  completeErasureLogFile,
  inspectErasureLog,
  recordFiledErasures,
  type ErasureSettings,
} from '../../shared/node/erasure/erasure-log.ts';
import {
  listErasures,
  makeErasureKeys,
  readErasureLogId,
  readErasureTime,
  recordErasureLog,
  recordErasures,
  type Erasure,
} from '../../shared/node/erasure/erasure-store.ts';
import { Day, Hour, Minute } from '../../shared/time.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { storeDelivery, storeSubmission } from '../support/stored-requests.ts';

let database: Database;

beforeAll(async () => {
  database = createDatabase(await createMigratedDatabase(), 'test');

  return () => database.destroy();
});

const tables = ['contact_submissions', 'newsletter_subscriptions', 'erasures', 'erasure_list', 'delivery_hold'];

beforeEach(async () => {
  for (const table of ['deliveries', ...tables]) await database(table).delete();
});

const ago = (ms: number) => new Date(Date.now() - ms);
const [secret, oldSecret] = ['n'.repeat(32), 'o'.repeat(32)];
const [key, oldKey] = makeErasureKeys([secret, oldSecret]);

async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), 'test-erasures-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const directory = join(folder, 'log');
  const settings = { linkSecrets: [secret], privacy: { erasuresDirectory: directory } } as unknown as ErasureSettings;
  const file = join(directory, 'erasures.ndjson');

  return { settings, directory, file, readFiled: () => readErasureLogFile(directory) };
}

const makeErasure = (subject: string, changes: Partial<Erasure> = {}, by = key): Erasure => ({
  subject_hash: by?.hash(changes.subject_kind ?? 'email', subject) ?? '',
  subject_kind: 'email',
  key_id: by?.id ?? '',
  erased_at: ago(Hour),
  ...changes,
});
const storeSubscription = async (email: string, values: object = {}) => {
  await database('newsletter_subscriptions').insert({ email, ...values });
};
const readEmail = async (id: string) => (await database('contact_submissions').where({ id }).first())?.email;
const listEmails = async () => (await database('newsletter_subscriptions')).map(({ email }) => email);

describe('the hash of an erased subject', () => {
  test('is recognized by every later version, and reveals nothing without the secret', () => {
    const derived = createHmac('sha256', secret).update('erasures').digest();
    const hash = (text: string) => createHmac('sha256', derived).update(text).digest('hex');

    expect(key?.id).toBe(hash('key id').slice(0, 16));
    expect(key?.hash('email', 'ada@example.org')).toBe(hash('email ada@example.org'));
    expect(key?.hash('submission', 'x')).toBe(hash('submission x'));
  });

  test('is recorded once for a subject, with the latest time, however many are recorded', async () => {
    const [early, late] = [ago(2 * Day), ago(Day)];
    await recordErasures(database, [makeErasure('a', { erased_at: late }), makeErasure('b', { erased_at: early })]);
    await recordErasures(database, [makeErasure('a', { erased_at: early }), makeErasure('b', { erased_at: late })]);
    expect((await listErasures(database)).map(({ erased_at: at }) => at)).toEqual([late, late]);

    await recordErasures(database, Array.from({ length: 1_001 }, (_, index) => makeErasure(`many ${index}`)));
    expect(await listErasures(database)).toHaveLength(1_003);
    await recordErasures(database, []);
    expect(await listErasures(database)).toContainEqual(makeErasure('a', { erased_at: late }));
  });
});

describe('the erasure of a person', () => {
  test('finds every spelling, and leaves everybody else', async () => {
    const { settings } = await setUp();
    const ids = [
      await storeSubmission(database, { email: 'Ada@BÜCHER.example' }),
      await storeSubmission(database, { email: 'ada@xn--bcher-kva.example' }),
    ];
    const other = await storeSubmission(database, { email: 'bob@bücher.example' });
    await storeSubscription('ada@bücher.example');
    await storeSubscription('bob@bücher.example');
    const pending = await storeDelivery(database, ids[0] ?? '');

    expect(new Set(await findSpellings(database, 'ada@bücher.example'))).toEqual(
      new Set(['ada@bücher.example', 'ada@xn--bcher-kva.example', 'Ada@BÜCHER.example']),
    );
    const result = await eraseSubject(database, settings, { email: 'ADA@xn--bcher-kva.example' });
    expect(result).toMatchObject({ submissions: 2, subscriptions: 1, isFiled: true });
    expect(result.data.submissions.map(({ id }) => id).sort()).toEqual(ids.toSorted());
    expect(result.data.subscriptions).toMatchObject([{ email: 'ada@bücher.example' }]);
    for (const id of ids) expect(await readEmail(id)).toBe('erased@invalid.example');
    expect(await readEmail(other)).toBe('bob@bücher.example');
    expect(await listEmails()).toEqual(['bob@bücher.example']);
    expect(await database('deliveries').where({ id: pending }).first()).toMatchObject({ state: 'cancelled' });
  });

  test('is recorded in the file and in the database, of the same moment, by the first secret', async () => {
    const { settings, readFiled } = await setUp();
    await eraseSubject(database, { ...settings, linkSecrets: [oldSecret, secret] }, { email: 'Ada@example.org' });
    const stored = await listErasures(database);

    expect(stored).toEqual([
      { subject_hash: oldKey?.hash('email', 'ada@example.org'), subject_kind: 'email', key_id: oldKey?.id, erased_at: expect.any(Date) },
    ]);
    expect(await readFiled()).toEqual({ logIds: [], erasures: stored, damagedLines: 0 });
  });

  test('of one request leaves the others and the subscription', async () => {
    const { settings } = await setUp();
    const [id, other] = [await storeSubmission(database), await storeSubmission(database)];
    await storeSubscription('ada@example.org');
    expect(await findStoredData(database, { id })).toMatchObject({ submissions: [{ id }], subscriptions: [] });

    expect(await eraseSubject(database, settings, { id })).toMatchObject({ submissions: 1, subscriptions: 0 });
    expect([await readEmail(id), await readEmail(other)]).toEqual(['erased@invalid.example', 'ada@example.org']);
    expect(await listEmails()).toEqual(['ada@example.org']);
    expect(await listErasures(database)).toMatchObject([
      { subject_hash: key?.hash('submission', id), subject_kind: 'submission' },
    ]);
    // A second time there is nothing left.
    expect(await eraseSubject(database, settings, { id })).toMatchObject({ submissions: 0 });
  });

  test('needs a secret to record it by, and without erases nothing', async () => {
    const { settings } = await setUp();
    const id = await storeSubmission(database);

    await expect(eraseSubject(database, { ...settings, linkSecrets: [] }, { id })).rejects.toThrow('no secret');
    expect(await readEmail(id)).toBe('ada@example.org');
  });

  test('is dated just after all that was received before', async () => {
    const id = await storeSubmission(database);
    const row = await database('contact_submissions').where({ id }).first();
    const time = await readErasureTime(database);

    expect(Number(time)).toBeGreaterThan(Number(row?.received_at));
    expect(Number(time) - Number(row?.received_at)).toBeLessThan(Minute);
  });

  test('during a hold waits for the folder to have the right log, or is recorded there at once', async () => {
    const { settings, directory, readFiled } = await setUp();
    const id = await storeSubmission(database);
    await holdDeliveries(database);
    expect(await eraseSubject(database, settings, { id })).toMatchObject({ submissions: 1, isFiled: false });
    expect(await readFiled()).toBeUndefined();

    const logId = await recordErasureLog(database, randomUUID());
    await appendToErasureLogFile(directory, { logId, erasures: [] });
    expect(await eraseSubject(database, settings, { id })).toMatchObject({ submissions: 0, isFiled: true });

    // The folder's log is another's, lacks what the database has, or can't be read.
    await database('erasure_list').update({ id: randomUUID() });
    expect(await eraseSubject(database, settings, { id })).toMatchObject({ isFiled: false });
    await database('erasure_list').update({ id: logId });
    const before = makeErasure('before');
    await recordErasures(database, [before]);
    expect(await eraseSubject(database, settings, { id })).toMatchObject({ isFiled: false });
    await appendToErasureLogFile(directory, { erasures: [before] });
    await appendFile(join(directory, 'erasures.ndjson'), '{"torn');
    expect(await eraseSubject(database, settings, { id })).toMatchObject({ isFiled: false });
    await database('delivery_hold').delete();
    expect(await eraseSubject(database, settings, { id })).toMatchObject({ isFiled: true });
  });
});

describe('what a restored backup brings back', () => {
  test('is erased again, by the database’s log and by the folder’s; what came later stays', async () => {
    const { settings, directory } = await setUp();
    const before = { received_at: ago(2 * Hour) };
    const ada = await storeSubmission(database, { ...before, email: 'Ada@Example.ORG' });
    const bob = await storeSubmission(database, { ...before, email: 'bob@xn--bcher-kva.example' });
    const request = await storeSubmission(database, { ...before, email: 'carl@example.org' });
    const later = await storeSubmission(database, { email: 'ada@example.org' });
    const other = await storeSubmission(database, { ...before, email: 'dora@example.org' });
    await storeSubscription('ada@example.org', { created_at: ago(2 * Hour) });
    await storeSubscription('bob@bücher.example', { created_at: ago(3 * Hour), confirmed_at: ago(2 * Hour) });
    await storeSubscription('dora@example.org', { created_at: ago(2 * Hour) });
    await recordErasures(database, [makeErasure('ada@example.org'), makeErasure(request, { subject_kind: 'submission' })]);
    // As the version before has hashed it: as it was typed.
    await appendToErasureLogFile(directory, { erasures: [makeErasure('bob@bücher.example')] });

    expect(await applyErasures(database, settings)).toEqual({ submissions: 3, subscriptions: 2, wasLogLost: false });
    for (const id of [ada, bob, request]) expect(await readEmail(id)).toBe('erased@invalid.example');
    expect([await readEmail(later), await readEmail(other)]).toEqual(['ada@example.org', 'dora@example.org']);
    expect(await listEmails()).toEqual(['dora@example.org']);
    expect(await listErasures(database)).toHaveLength(3);
    expect(await applyErasures(database, settings)).toEqual({ submissions: 0, subscriptions: 0, wasLogLost: false });
  });

  test('stays where it came after that person’s erasure, also if others were erased later', async () => {
    const { settings } = await setUp();
    const ada = await storeSubmission(database, { received_at: ago(2 * Hour) });
    const bob = await storeSubmission(database, { received_at: ago(2 * Hour), email: 'bob@example.org' });
    await recordErasures(database, [makeErasure('ada@example.org', { erased_at: ago(3 * Hour) })]);
    await recordErasures(database, [makeErasure('bob@example.org')]);

    expect(await applyErasures(database, settings)).toMatchObject({ submissions: 1 });
    expect([await readEmail(ada), await readEmail(bob)]).toEqual(['ada@example.org', 'erased@invalid.example']);
  });

  test('is recognized by an old secret as long as that is given', async () => {
    const { settings } = await setUp();
    const id = await storeSubmission(database, { received_at: ago(2 * Hour) });
    await recordErasures(database, [makeErasure('ada@example.org', {}, oldKey), makeErasure('x', { erased_at: ago(9 * Hour) })]);

    expect(await applyErasures(database, settings)).toMatchObject({ submissions: 0 });
    expect(await applyErasures(database, { ...settings, linkSecrets: [secret, oldSecret] })).toMatchObject({ submissions: 1 });
    expect(await readEmail(id)).toBe('erased@invalid.example');
  });

  test('stays until its turn when the search is stopped', async () => {
    const { settings } = await setUp();
    const id = await storeSubmission(database, { received_at: ago(2 * Hour) });
    await storeSubscription('ada@example.org', { created_at: ago(2 * Hour) });
    await recordErasures(database, [makeErasure('ada@example.org')]);
    const stop = AbortSignal.abort(new Error('The worker ends.'));

    await expect(applyErasures(database, settings, stop)).rejects.toThrow('The worker ends.');
    expect(await readEmail(id)).toBe('ada@example.org');
    await database('contact_submissions').delete();
    await expect(applyErasures(database, settings, stop)).rejects.toThrow('The worker ends.');
    expect(await listEmails()).toEqual(['ada@example.org']);
  });
});

describe('the erasure log’s file', () => {
  test('is for its owner alone, and has whole lines, whoever wrote half of one before', async () => {
    const { directory, file, readFiled } = await setUp();
    expect(await readFiled()).toBeUndefined();
    await checkErasureLogFile(directory);
    await appendToErasureLogFile(directory, { erasures: [] });
    expect(await readFiled()).toBeUndefined();

    const [logId, one, two] = [randomUUID(), makeErasure('a'), makeErasure('b')];
    await appendToErasureLogFile(directory, { logId, erasures: [one] });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
    await appendFile(file, '{"subject_hash":"tor');
    await appendToErasureLogFile(directory, { erasures: [two] });
    expect(await readFile(file, 'utf8')).toBe(
      `\n${JSON.stringify({ erasure_list: logId })}\n${JSON.stringify(one)}\n{"subject_hash":"tor\n${JSON.stringify(two)}\n`,
    );
    expect(await readFiled()).toEqual({ logIds: [logId], erasures: [one, two], damagedLines: 1 });
    await checkErasureLogFile(directory);
  });

  test.each([
    ['no JSON', 'x'],
    ['something else', '{}'],
    ['a list without a UUID', '{"erasure_list":"x"}'],
    ['a longer hash', JSON.stringify(makeErasure('a', { subject_hash: '0'.repeat(65) }))],
    ['a shorter hash', JSON.stringify(makeErasure('a', { subject_hash: '0'.repeat(63) }))],
    ['a hash before something', JSON.stringify(makeErasure('a', { subject_hash: `${'0'.repeat(64)}.` }))],
    ['another kind', JSON.stringify({ ...makeErasure('a'), subject_kind: 'phone' })],
    ['a longer key', JSON.stringify(makeErasure('a', { key_id: '0'.repeat(17) }))],
    ['a key after something', JSON.stringify(makeErasure('a', { key_id: `.${'0'.repeat(16)}` }))],
    ['no time', JSON.stringify({ ...makeErasure('a'), erased_at: 'yesterday' })],
    ['a day that is none', JSON.stringify({ ...makeErasure('a'), erased_at: '2025-13-01T00:00:00.000Z' })],
  ])('counts a line with %s as damaged, and blank ones as none', async (_what, line) => {
    const { directory, file, readFiled } = await setUp();
    await mkdir(directory);
    await writeFile(file, `\n  \n${line}\n\n`);

    expect(await readFiled()).toEqual({ logIds: [], erasures: [], damagedLines: 1 });
  });

  test('that can’t be used is an error with the file system’s code', async () => {
    const { directory, file, settings } = await setUp();
    await mkdir(file, { recursive: true });
    const attempts = [
      () => readErasureLogFile(directory),
      () => checkErasureLogFile(directory),
      () => appendToErasureLogFile(directory, { erasures: [makeErasure('a')] }),
    ];

    for (const attempt of attempts) {
      await expect(attempt()).rejects.toThrow(ErasureLogFileError);
      await expect(attempt()).rejects.toMatchObject({
        ...{ name: 'ErasureLogFileError', code: 'EISDIR', message: "The erasure log can't be used." },
        cause: { code: 'EISDIR' },
      });
    }
    await recordErasures(database, [makeErasure('a')]);
    expect(await inspectErasureLog(database, settings)).toEqual({
      ...{ status: 'unreadable', code: 'EISDIR', count: 1, lacking: 1, unknown: 0, damagedLines: 0 },
    });
  });
});

describe('file and database', () => {
  test('get from one another what the other has, and of a subject the latest time', async () => {
    const { settings, directory, readFiled } = await setUp();
    const [early, late] = [ago(2 * Day), ago(Day)];
    const both = makeErasure('both', { erased_at: late });
    await recordErasures(database, [both, makeErasure('stored'), makeErasure('older here', { erased_at: early })]);
    await appendToErasureLogFile(directory, {
      erasures: [
        ...[both, makeErasure('filed'), makeErasure('older here', { erased_at: late })],
        makeErasure('twice', { erased_at: late }),
        makeErasure('twice', { erased_at: early }),
        makeErasure('again', { erased_at: early }),
        makeErasure('again', { erased_at: late }),
      ],
    });

    const added = await recordFiledErasures(database, settings);
    expect(added.map(({ subject_hash: hash }) => hash)).toEqual(
      ['filed', 'older here', 'twice', 'again'].map((subject) => key?.hash('email', subject)),
    );
    expect(added.slice(2).map(({ erased_at: at }) => at)).toEqual([late, late]);
    expect(await recordFiledErasures(database, settings)).toEqual([]);
    expect(await listErasures(database)).toHaveLength(6);

    expect(await completeErasureLogFile(database, settings)).toEqual({ wasLost: false });
    const { erasures = [], logIds } = (await readFiled()) ?? {};
    expect(erasures).toHaveLength(8);
    expect(logIds).toEqual([await readErasureLogId(database)]);
    expect(await completeErasureLogFile(database, settings)).toEqual({ wasLost: false });
    expect((await readFiled())?.erasures).toHaveLength(8);
  });

  test('have one log, the first that was started', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    expect(await readErasureLogId(database)).toBeUndefined();

    expect(await recordErasureLog(database, first)).toBe(first);
    expect(await recordErasureLog(database, second)).toBe(first);
    expect(await readErasureLogId(database)).toBe(first);
  });

  test('keep a file’s log where the database has none, and start it anew where the file is lost', async () => {
    const { settings, directory, file, readFiled } = await setUp();
    const logIds = [randomUUID(), randomUUID(), randomUUID()];
    const newest = logIds.at(-1);
    for (const logId of logIds) await appendToErasureLogFile(directory, { logId, erasures: [] });
    expect(await completeErasureLogFile(database, settings)).toEqual({ wasLost: false });
    expect(await readErasureLogId(database)).toBe(newest);
    expect((await readFiled())?.logIds).toEqual(logIds);

    await rm(file);
    expect(await recordFiledErasures(database, settings)).toEqual([]);
    await recordErasures(database, [makeErasure('a')]);
    expect(await completeErasureLogFile(database, settings)).toEqual({ wasLost: true });
    expect(await readFiled()).toMatchObject({ logIds: [newest], erasures: [makeErasure('a', { erased_at: expect.any(Date) })] });
  });

  test('change nothing of the file during a hold, and take nothing of another installation’s', async () => {
    const { settings, directory, readFiled } = await setUp();
    await appendToErasureLogFile(directory, { logId: randomUUID(), erasures: [makeErasure('filed')] });
    const before = await readFiled();
    await recordErasureLog(database, randomUUID());
    await recordErasures(database, [makeErasure('stored')]);
    await holdDeliveries(database);

    expect(await recordFiledErasures(database, settings)).toEqual([]);
    expect(await completeErasureLogFile(database, settings)).toEqual({ wasLost: false });
    expect(await readFiled()).toEqual(before);
    // One that doesn't say whose it is may be the right one.
    await database('erasure_list').delete();
    expect(await recordFiledErasures(database, settings)).toHaveLength(1);
  });
});

describe('the state of the erasure log', () => {
  const inspect = async (settings: ErasureSettings) => inspectErasureLog(database, settings);

  test('is that it is not begun, then complete, then missing', async () => {
    const { settings, file } = await setUp();
    expect(await inspect(settings)).toEqual({ status: 'not-begun', count: 0, lacking: 0, unknown: 0, damagedLines: 0 });
    await completeErasureLogFile(database, settings);
    expect(await inspect(settings)).toMatchObject({ status: 'complete' });
    await rm(file);
    expect(await inspect(settings)).toMatchObject({ status: 'missing' });
  });

  test.each([
    ['somebody was erased', () => recordErasures(database, [makeErasure('a')])],
    ['deliveries are on hold', () => holdDeliveries(database)],
  ])('is that it is missing where %s and there is no file', async (_why, prepare) => {
    const { settings } = await setUp();
    await prepare();

    expect(await inspect(settings)).toMatchObject({ status: 'missing' });
  });

  test('is that it is another’s, or may be', async () => {
    const { settings, directory } = await setUp();
    const logId = randomUUID();
    await appendToErasureLogFile(directory, { logId, erasures: [] });
    expect(await inspect(settings)).toMatchObject({ status: 'complete' });
    await holdDeliveries(database);
    expect(await inspect(settings)).toMatchObject({ status: 'foreign' });
    await recordErasureLog(database, logId);
    expect(await inspect(settings)).toMatchObject({ status: 'complete' });
    await database('erasure_list').update({ id: randomUUID() });
    expect(await inspect(settings)).toMatchObject({ status: 'foreign' });
  });

  test('is that lines are damaged, or that it lacks what the database has', async () => {
    const { settings, directory, file } = await setUp();
    await completeErasureLogFile(database, settings);
    await recordErasures(database, [makeErasure('a')]);
    expect(await inspect(settings)).toMatchObject({ status: 'older', lacking: 1, count: 1 });
    await appendToErasureLogFile(directory, { erasures: [makeErasure('a', { erased_at: ago(Minute) }), makeErasure('b')] });
    expect(await inspect(settings)).toMatchObject({ status: 'complete', lacking: 0, count: 2 });
    await appendFile(file, 'x\ny');
    expect(await inspect(settings)).toMatchObject({ status: 'damaged', damagedLines: 2, count: 2 });
  });

  test('is that it is older where it doesn’t say whose it is, though the database knows', async () => {
    const { settings, directory } = await setUp();
    await appendToErasureLogFile(directory, { erasures: [makeErasure('a')] });
    expect(await inspect(settings)).toMatchObject({ status: 'complete' });
    await recordErasureLog(database, randomUUID());
    expect(await inspect(settings)).toMatchObject({ status: 'older', lacking: 0 });
    await holdDeliveries(database);
    expect(await inspect(settings)).toMatchObject({ status: 'older' });
    // Nobody knows whose either is: it may be the right one.
    await database('erasure_list').delete();
    expect(await inspect(settings)).toMatchObject({ status: 'complete' });
  });

  test('lacks nothing that was erased during a hold', async () => {
    const { settings } = await setUp();
    await completeErasureLogFile(database, settings);
    await holdDeliveries(database);
    await recordErasures(database, [makeErasure('a', { erased_at: new Date(Date.now() + Minute) })]);
    expect(await inspect(settings)).toMatchObject({ status: 'complete', lacking: 0 });
    await recordErasures(database, [makeErasure('b')]);
    expect(await inspect(settings)).toMatchObject({ status: 'older', lacking: 1 });
  });

  test('is that secrets are missing of those by which it was hashed', async () => {
    const { settings } = await setUp();
    await recordErasures(database, [makeErasure('a', {}, oldKey), makeErasure('b')]);
    await completeErasureLogFile(database, settings);

    expect(await inspect(settings)).toMatchObject({ status: 'unknown-keys', unknown: 1, count: 2 });
    expect(await inspect({ ...settings, linkSecrets: [secret, oldSecret] })).toMatchObject({ status: 'complete', unknown: 0 });
  });
});
