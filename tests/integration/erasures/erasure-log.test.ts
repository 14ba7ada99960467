import { randomUUID } from 'node:crypto';
import { appendFile, rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { holdDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import { appendToErasureLogFile } from '../../../shared/node/erasure/erasure-log-file.ts';
import {
  completeErasureLogFile,
  inspectErasureLog,
  recordFiledErasures,
  type ErasureSettings,
} from '../../../shared/node/erasure/erasure-log.ts';
import {
  listErasures,
  readErasureLogId,
  recordErasureLog,
  recordErasures,
} from '../../../shared/node/erasure/erasure-store.ts';
import { Day, Minute } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { database, key, makeErasure, oldKey, oldSecret, secret, setUp, setUpDatabase } from './erasure-fixture.ts';

setUpDatabase();

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
