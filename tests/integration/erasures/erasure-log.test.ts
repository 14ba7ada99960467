import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { holdDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import {
  appendToErasureLogFile,
  checkErasureLogFile,
  ErasureLogFileError,
  inspectErasureLog,
  readErasureLogFile,
  synchronizeErasureLog,
} from '../../../shared/node/erasure/erasure-log.ts';
import { listErasures, recordErasures } from '../../../shared/node/erasure/erasure-store.ts';
import { Day, Minute } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { database, setUpDatabase } from '../delivery-store/fixture.ts';
import { key, makeErasure, oldKey, oldSecret, secret, setUp } from './erasure-fixture.ts';

setUpDatabase();

describe('the erasure log’s file', () => {
  test('is readable only by its owner, and new entries start on their own lines even after a partial line', async () => {
    const { directory, file, readFiled } = await setUp();
    await checkErasureLogFile(directory);
    const [logId, one, two] = [randomUUID(), makeErasure('a'), makeErasure('b')];
    await appendToErasureLogFile(directory, { logIds: [logId], erasures: [one] });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    await appendFile(file, '{"subject_hash":"tor');
    await appendToErasureLogFile(directory, { logIds: [logId], erasures: [one, two] });
    expect(await readFile(file, 'utf8')).toBe(
      `\n${JSON.stringify({ erasure_list: logId })}\n${JSON.stringify(one)}\n{"subject_hash":"tor\n${JSON.stringify(two)}\n`,
    );
    expect(await readFiled()).toEqual({ logIds: [logId], erasures: [one, two], damagedLines: 1 });
    await checkErasureLogFile(directory);
  });

  test.each([
    ['no JSON', 'x'],
    ['an empty object', '{}'],
    ['a list without a UUID', '{"erasure_list":"x"}'],
    ['a hash that is too long', JSON.stringify(makeErasure('a', { subject_hash: '0'.repeat(65) }))],
    ['a hash that is too short', JSON.stringify(makeErasure('a', { subject_hash: '0'.repeat(63) }))],
    ['text after the hash', JSON.stringify(makeErasure('a', { subject_hash: `${'0'.repeat(64)}.` }))],
    ['an unknown kind', JSON.stringify({ ...makeErasure('a'), subject_kind: 'phone' })],
    ['a key that is too long', JSON.stringify(makeErasure('a', { key_id: '0'.repeat(17) }))],
    ['text before the key', JSON.stringify(makeErasure('a', { key_id: `.${'0'.repeat(16)}` }))],
    ['no time', JSON.stringify({ ...makeErasure('a'), erased_at: 'yesterday' })],
    ['an impossible date', JSON.stringify({ ...makeErasure('a'), erased_at: '2025-13-01T00:00:00.000Z' })],
  ])('counts a line with %s as damaged, and ignores blank lines', async (_what, line) => {
    const { directory, file, readFiled } = await setUp();
    await mkdir(directory);
    await writeFile(file, `\n  \n${line}\n\n`);

    expect(await readFiled()).toEqual({ logIds: [], erasures: [], damagedLines: 1 });
  });

  test('causes an error with the file system’s code if it can’t be used', async () => {
    const { directory, file } = await setUp();
    await mkdir(file, { recursive: true });
    const attempts = [
      () => readErasureLogFile(directory),
      () => checkErasureLogFile(directory),
      () => appendToErasureLogFile(directory, { logIds: [], erasures: [makeErasure('a')] }),
    ];

    for (const attempt of attempts) {
      await expect(attempt()).rejects.toThrow(ErasureLogFileError);
      await expect(attempt()).rejects.toMatchObject({
        ...{ code: 'EISDIR', message: `The erasure log ${file} can't be used (EISDIR).`, cause: { code: 'EISDIR' } },
      });
    }
  });
});

describe('file and database', () => {
  test('exchange missing entries and each subject’s latest time', async () => {
    const { settings, directory, readFiled } = await setUp();
    const [early, late] = [ago(2 * Day), ago(Day)];
    const both = makeErasure('both', { erased_at: late });
    await recordErasures(database, [both, makeErasure('stored'), makeErasure('older here', { erased_at: early })]);
    await appendToErasureLogFile(directory, {
      logIds: [],
      erasures: [both, makeErasure('filed'), makeErasure('older here', { erased_at: late })],
    });
    const twice = [makeErasure('twice', { erased_at: late }), makeErasure('twice', { erased_at: early })];
    await appendFile(`${directory}/erasures.ndjson`, twice.map((line) => JSON.stringify(line)).join('\n'));

    expect(await synchronizeErasureLog(database, settings)).toEqual({ wasLost: false });
    const stored = await listErasures(database);
    expect(new Map(stored.map(({ subject_hash: hash, erased_at: at }) => [hash, at]))).toEqual(
      new Map([
        ...['both', 'older here', 'twice'].map((subject) => [key?.hash('email', subject), late] as const),
        ...['filed', 'stored'].map((subject) => [key?.hash('email', subject), expect.any(Date)] as const),
      ]),
    );
    const filed = await readFiled();
    const [list] = await database('erasure_list');
    expect(filed).toMatchObject({ logIds: [list?.id], erasures: { length: 6 } });
    expect(await synchronizeErasureLog(database, settings)).toEqual({ wasLost: false });
    expect(await readFiled()).toEqual(filed);
  });

  test('have the same entries again after the file is lost', async () => {
    const { settings, file, readFiled } = await setUp();
    await recordErasures(database, [makeErasure('a'), makeErasure('b')]);
    await synchronizeErasureLog(database, settings);
    const before = await readFiled();

    await rm(file);
    expect(await synchronizeErasureLog(database, settings)).toEqual({ wasLost: true });
    expect(await readFiled()).toEqual(before);
  });

  test('exchange nothing during a hold', async () => {
    const { settings, directory, readFiled } = await setUp();
    await appendToErasureLogFile(directory, { logIds: [randomUUID()], erasures: [makeErasure('filed')] });
    await recordErasures(database, [makeErasure('stored')]);
    const before = [await readFiled(), await listErasures(database)];
    await holdDeliveries(database);

    expect(await synchronizeErasureLog(database, settings)).toEqual({ wasLost: false });
    expect([await readFiled(), await listErasures(database)]).toEqual(before);
  });
});

describe('the erasure log', () => {
  type Fixture = Awaited<ReturnType<typeof setUp>>;

  /** Starts a log with one erasure, in the file and in the database. */
  async function setUpLog() {
    const fixture = await setUp();
    await recordErasures(database, [makeErasure('a')]);
    await synchronizeErasureLog(database, fixture.settings);
    const inspect = () => inspectErasureLog(database, fixture.settings);
    expect(await inspect()).toEqual({ status: 'complete', count: 1, problem: undefined });

    return { ...fixture, inspect };
  }

  const change = async ({ file }: Fixture, edit: (text: string) => string) =>
    writeFile(file, edit(await readFile(file, 'utf8')));

  test.each<[string, string, (fixture: Fixture) => Promise<unknown>]>([
    ['that is missing', 'it lacks 2 lines', ({ file }) => rm(file)],
    ['that lacks an entry in the database', 'it lacks 1 line', () => recordErasures(database, [makeErasure('b')])],
    [
      'whose time is earlier than the database’s',
      'it lacks 1 line',
      () => recordErasures(database, [makeErasure('a', { erased_at: ago(Minute) })]),
    ],
    [
      'from another installation',
      'it lacks 1 line',
      (fixture) => change(fixture, (text) => text.replace(/(?<=erasure_list":")[^"]*/, randomUUID())),
    ],
    ['with damaged lines', "2 of its lines can't be read", ({ file }) => appendFile(file, 'x\n{"subject_hash":"tor')],
    ['that is cut off', 'it lacks 1 line', (fixture) => change(fixture, (text) => text.slice(0, -20))],
    ['that can’t be read', "it can't be used (EISDIR)", ({ file }) => rm(file).then(() => mkdir(file))],
  ])('is incomplete with a file %s, with or without a hold', async (_what, flaw, damage) => {
    const fixture = await setUpLog();
    await damage(fixture);

    const state = await fixture.inspect();
    expect(state).toMatchObject({ status: 'incomplete', problem: expect.stringContaining(`older than the database: ${flaw}.`) });
    await holdDeliveries(database);
    expect(await fixture.inspect()).toEqual(state);
  });

  test('is complete if it has more entries or later times than the database', async () => {
    const { directory, inspect } = await setUpLog();
    const later = makeErasure('a', { erased_at: ago(Minute) });
    await appendToErasureLogFile(directory, { logIds: [randomUUID()], erasures: [later, makeErasure('b')] });

    await holdDeliveries(database);
    expect(await inspect()).toMatchObject({ status: 'complete', count: 2 });
  });

  test('is complete even if its file lacks people who were erased during a hold', async () => {
    const { inspect } = await setUpLog();
    await holdDeliveries(database);
    await recordErasures(database, [makeErasure('b', { erased_at: new Date(Date.now() + Minute) })]);

    expect(await inspect()).toMatchObject({ status: 'complete', count: 2 });
  });

  test('is complete if it was never started, but not during a hold, when the file may belong to another site', async () => {
    const { settings, directory } = await setUp();
    const inspect = () => inspectErasureLog(database, settings);
    expect(await inspect()).toMatchObject({ status: 'complete', count: 0 });
    await holdDeliveries(database);
    expect(await inspect()).toMatchObject({ status: 'incomplete' });
    await appendToErasureLogFile(directory, { logIds: [randomUUID()], erasures: [makeErasure('a')] });
    expect(await inspect()).toMatchObject({ status: 'incomplete' });
  });

  test('with unknown keys reports the number of erasures whose secret is missing', async () => {
    const { settings, directory } = await setUpLog();
    await appendToErasureLogFile(directory, { logIds: [], erasures: [makeErasure('b', {}, oldKey)] });

    expect(await inspectErasureLog(database, settings)).toMatchObject({
      ...{ status: 'unknown-keys', count: 2, problem: expect.stringContaining('secret of 1 of 2 erasures is missing') },
    });
    expect(await inspectErasureLog(database, { ...settings, linkSecrets: [secret, oldSecret] })).toMatchObject({ status: 'complete' });
  });
});
