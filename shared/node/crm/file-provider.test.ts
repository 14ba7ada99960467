import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { CrmRecord, ExportContext } from './crm-provider.ts';
import { createFileProvider } from './file-provider.ts';

let lastWork: Promise<unknown> = Promise.resolve();

/** Runs one task at a time, like PostgreSQL's advisory lock. */
function withLock<Result>(_key: string, work: () => Promise<Result>): Promise<Result> {
  const own = lastWork.then(work);
  lastWork = own.catch(() => undefined);

  return own;
}

const makeContext = (attempt: number, signal = new AbortController().signal): ExportContext => ({
  deliveryId: '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b',
  attempt,
  steps: { get: () => undefined, record: () => Promise.resolve() },
  withAdvisoryLock: withLock,
  signal,
});
let folder: string;

beforeEach(async () => {
  const parent = await mkdtemp(join(tmpdir(), 'test-crm-'));
  folder = join(parent, 'made', 'on-demand');

  return () => rm(parent, { recursive: true });
});

function makeRecord(id: string, changes: Partial<CrmRecord> = {}): CrmRecord {
  return {
    submission_id: id,
    name: 'Ada Example',
    email: 'ada@example.org',
    company: 'Example Sweets',
    phone: '+1 555 0100',
    industry: null,
    industry_label: null,
    message: 'Line one\nline "two"',
    submitted_at: '2025-11-03T09:00:00.000Z',
    received_at: '2025-11-03T09:00:01.000Z',
    source: {},
    ...changes,
  };
}

const readNdjson = async () =>
  (await readFile(join(folder, 'submissions.ndjson'), 'utf8')).trimEnd().split('\n');
const readCsv = () => readFile(join(folder, 'submissions.csv'), 'utf8');

test('each lead becomes one JSON line and one CSV row, below a single heading', async () => {
  const provider = createFileProvider(folder);
  await provider.exportRecord(makeRecord('first'), makeContext(1));
  await provider.exportRecord(makeRecord('second'), makeContext(1));

  expect((await readNdjson()).map((line) => JSON.parse(line) as CrmRecord)).toEqual([
    makeRecord('first'),
    makeRecord('second'),
  ]);
  const csv = await readCsv();
  expect(csv.match(/submission_id/g)).toHaveLength(1);
  expect(csv).toContain('"Line one\nline ""two"""');
});

test('concurrent exports write a single heading and complete rows', async () => {
  // Each of the two worker processes has its own provider.
  const providers = [createFileProvider(folder), createFileProvider(folder)];
  const ids = Array.from({ length: 20 }, (_, index) => `lead-${String(index).padStart(2, '0')}`);

  await Promise.all(ids.map(async (id, index) => providers[index % 2]?.exportRecord(makeRecord(id), makeContext(1))));

  const rows = (await readNdjson()).map((line) => JSON.parse(line) as CrmRecord);
  expect(rows.map(({ submission_id: id }) => id).sort()).toEqual(ids);
  const csv = await readCsv();
  expect(csv.startsWith('submission_id,name,')).toBe(true);
  expect(csv.trimEnd().split('\r\n')).toHaveLength(21);
});

test('a retry finds its lead anywhere in a long file', async () => {
  const provider = createFileProvider(folder);
  await provider.exportRecord(makeRecord('first'), makeContext(1));
  // Files are read in chunks of 64 KiB. The first chunk ends within the second lead.
  const { length } = await readFile(join(folder, 'submissions.ndjson'));
  await appendFile(join(folder, 'submissions.ndjson'), `${'x'.repeat(64 * 1024 - length - 50)}\n`);
  await provider.exportRecord(makeRecord('second'), makeContext(1));
  await provider.exportRecord(makeRecord('third'), makeContext(1));
  const before = await readNdjson();

  for (const id of ['first', 'second', 'third']) await provider.exportRecord(makeRecord(id), makeContext(2));

  expect(await readNdjson()).toEqual(before);
  expect((await readCsv()).match(/^(?:first|second|third),/gm)).toHaveLength(3);
});

test('an export that times out while it waits for the lock writes nothing', async () => {
  const provider = createFileProvider(folder);
  const timeout = new AbortController();
  let release = () => {};
  const lock = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = provider.exportRecord(makeRecord('first'), {
    ...makeContext(1),
    withAdvisoryLock: (_key, work) => lock.then(work),
  });
  const second = provider.exportRecord(makeRecord('second'), makeContext(1, timeout.signal));
  timeout.abort(new Error('Too late.'));
  release();

  await first;
  await expect(second).rejects.toThrow('Too late.');
  expect((await readNdjson()).map((line) => (JSON.parse(line) as CrmRecord).submission_id)).toEqual(['first']);
});

test('a retry writes only to the file that the first attempt did not write to', async () => {
  const provider = createFileProvider(folder);
  await provider.exportRecord(makeRecord('first'), makeContext(1));
  await appendFile(join(folder, 'submissions.ndjson'), `${JSON.stringify(makeRecord('second'))}\n`);

  await provider.exportRecord(makeRecord('second'), makeContext(2));
  await provider.exportRecord(makeRecord('second'), makeContext(3));

  expect(await readNdjson()).toHaveLength(2);
  expect((await readCsv()).match(/second/g)).toHaveLength(1);
});

test.each([[10], [60], [100], [130]])(
  'a record cut off by a crash after %i characters is rewritten in full',
  async (length) => {
    const provider = createFileProvider(folder);
    await provider.exportRecord(makeRecord('whole'), makeContext(1));
    const [ndjsonLine = ''] = await readNdjson();
    const csvRow = (await readCsv()).split('\r\n')[1] ?? '';
    const tear = (text: string) => text.replace('whole', 'torn!').slice(0, length);
    await appendFile(join(folder, 'submissions.ndjson'), tear(ndjsonLine));
    await appendFile(join(folder, 'submissions.csv'), tear(csvRow));

    await provider.exportRecord(makeRecord('torn!'), makeContext(2));

    expect(JSON.parse((await readNdjson()).at(-1) ?? '')).toEqual(makeRecord('torn!'));
    const rows = (await readCsv()).trimEnd().split('\r\n');
    expect(rows).toHaveLength(4);
    expect(rows[3]).toBe(csvRow.replace('whole', 'torn!'));
    // Quotes are balanced, so a CSV reader finds the same rows.
    for (const row of rows) expect((row.split('"').length - 1) % 2).toBe(0);
  },
);
