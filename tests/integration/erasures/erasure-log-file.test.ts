import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  appendToErasureLogFile,
  checkErasureLogFile,
  ErasureLogFileError,
  readErasureLogFile,
} from '../../../shared/node/erasure/erasure-log-file.ts';
import { inspectErasureLog } from '../../../shared/node/erasure/erasure-log.ts';
import { recordErasures } from '../../../shared/node/erasure/erasure-store.ts';
import { database, makeErasure, setUp, setUpDatabase } from './erasure-fixture.ts';

setUpDatabase();

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
        ...{ name: 'ErasureLogFileError', code: 'EISDIR', message: `The erasure log ${file} can't be used (EISDIR).` },
        cause: { code: 'EISDIR' },
      });
    }
    await recordErasures(database, [makeErasure('a')]);
    expect(await inspectErasureLog(database, settings)).toEqual({
      ...{ status: 'unreadable', code: 'EISDIR', count: 1, lacking: 1, unknown: 0, damagedLines: 0 },
    });
  });
});
