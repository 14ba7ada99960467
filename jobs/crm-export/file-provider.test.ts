import { appendFile, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { CrmRecord } from './crm-provider.ts';
import { createFileProvider } from './file-provider.ts';

const { signal } = new AbortController();
let folder: string;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'test-crm-')), 'made', 'on-demand');
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

test('each lead is one JSON line and one table row under one heading', async () => {
  const provider = createFileProvider(folder);
  await provider.exportRecord(makeRecord('first'), 1, signal);
  await provider.exportRecord(makeRecord('second'), 1, signal);

  expect((await readNdjson()).map((line) => JSON.parse(line) as CrmRecord)).toEqual([
    makeRecord('first'),
    makeRecord('second'),
  ]);
  const csv = await readCsv();
  expect(csv.match(/submission_id/g)).toHaveLength(1);
  expect(csv).toContain('"Line one\nline ""two"""');
});

test.each(['=1+1', '+1', '-1', '@cmd', '\tx', '＝1'])(
  'a cell that begins with a formula (%j) is shown, not run',
  async (company) => {
    await createFileProvider(folder).exportRecord(makeRecord('id', { company }), 1, signal);

    expect(await readCsv()).toContain(`'${company}`);
  },
);

test('a second try adds only what the first left out', async () => {
  const provider = createFileProvider(folder);
  await provider.exportRecord(makeRecord('first'), 1, signal);
  await appendFile(join(folder, 'submissions.ndjson'), `${JSON.stringify(makeRecord('second'))}\n`);

  await provider.exportRecord(makeRecord('second'), 2, signal);
  await provider.exportRecord(makeRecord('second'), 3, signal);

  expect(await readNdjson()).toHaveLength(2);
  expect((await readCsv()).match(/second/g)).toHaveLength(1);
});

test('a line torn by a crash does not swallow the next one', async () => {
  const provider = createFileProvider(folder);
  await provider.exportRecord(makeRecord('first'), 1, signal);
  await appendFile(join(folder, 'submissions.ndjson'), '{"submission_id":"torn');

  await provider.exportRecord(makeRecord('second'), 1, signal);

  expect(JSON.parse((await readNdjson()).at(-1) ?? '')).toMatchObject({ submission_id: 'second' });
});
