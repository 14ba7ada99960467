import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, link, mkdir, open, unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { sourceNames } from '../../contact/submission-source.ts';
import { getErrorCode } from '../logging/describe-error.ts';
import { spreadsheetCsv } from '../files/spreadsheet-csv.ts';
import { syncFolder } from '../files/sync-folder.ts';
import type { CrmCheckResult, CrmProvider, CrmRecord } from './crm-provider.ts';

const RECORD_COLUMNS = [
  'submission_id',
  'name',
  'email',
  'company',
  'phone',
  'industry',
  'industry_label',
  'message',
  'submitted_at',
  'received_at',
] as const satisfies ReadonlyArray<keyof CrmRecord>;

/** Longer than any record: the end of the file has a partial one whole. */
const TAIL_BYTES = 128 * 1024;

/** Not the folder's path, because the same volume may have another one in another container. */
const LOCK_KEY = 'crm-files';

/** One flat row per lead, its columns in a fixed order so that a file stays one table. */
function toCsvCells(record: CrmRecord): Array<string | null> {
  return [
    ...RECORD_COLUMNS.map((column) => record[column]),
    ...sourceNames.map((column) => record.source[column] ?? null),
  ];
}

const formatCsvRow = (record: CrmRecord) => stringify([toCsvCells(record)], spreadsheetCsv);
const formatCsvHeading = () => stringify([[...RECORD_COLUMNS, ...sourceNames]], spreadsheetCsv);

/** What completes a line that a crash left partial: nothing when the file is whole. */
type TerminateLine = (text: string) => string;

const terminateNdjson: TerminateLine = (text) => (text === '' || text.endsWith('\n') ? '' : '\n');

/** A row left partial inside quotes would swallow the next one; CR LF occurs between rows only. */
const terminateCsv: TerminateLine = (text) => {
  const partial = text.slice(text.lastIndexOf('\r\n') + 1).trimStart();
  const hasOpenQuote = (partial.split('"').length - 1) % 2 === 1;

  return text.endsWith('\r\n') ? '' : `${hasOpenQuote ? '"' : ''}\r\n`;
};

/** Creates a file with its heading unless it exists; of several processes at once, one creates it. */
async function createWithHeading(folder: string, path: string, heading: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, heading, { mode: 0o600, flush: true });

  try {
    await link(draft, path);
    await syncFolder(folder);
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
}

async function append(path: string, text: string, terminate: TerminateLine): Promise<void> {
  const file = await open(path, 'a+', 0o600);

  try {
    const { size } = await file.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    await file.appendFile(terminate(buffer.toString()) + text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Whether a file has a text; read bit by bit, for a file of all leads outgrows the memory. */
async function includesText(path: string, text: string): Promise<boolean> {
  let end = '';
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    const part = end + chunk;
    if (part.includes(text)) return true;
    // What may begin the text that the next chunk completes.
    end = part.slice(1 - text.length);
  }

  return false;
}

async function testFolder(folder: string): Promise<CrmCheckResult> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);

    return { check: 'folder', state: 'ok', detail: `${folder} can be written to.` };
  } catch (error) {
    const code = getErrorCode(error) ?? 'unknown';

    return { check: 'folder', state: 'fail', detail: `CRM_DIR ${folder} can't be written to (${code}).` };
  }
}

/** Writes every lead to `submissions.ndjson` and `submissions.csv` in a folder, one worker at a time. */
export function createFileProvider(directory: string): CrmProvider {
  const folder = resolve(directory);
  const ndjson = join(folder, 'submissions.ndjson');
  const csv = join(folder, 'submissions.csv');
  let lastExport = Promise.resolve();

  const exportOnce = async (record: CrmRecord, attempt: number, signal: AbortSignal) => {
    // One that has waited too long is another worker's by now.
    signal.throwIfAborted();
    await mkdir(folder, { recursive: true });
    await createWithHeading(folder, ndjson, '');
    await createWithHeading(folder, csv, formatCsvHeading());

    for (const { path, text, terminate } of [
      { path: ndjson, text: `${JSON.stringify(record)}\n`, terminate: terminateNdjson },
      { path: csv, text: formatCsvRow(record), terminate: terminateCsv },
    ]) {
      // An attempt that was killed between writing and being recorded has left its whole line.
      const isThere = attempt > 1 && (await includesText(path, text));
      signal.throwIfAborted();
      if (!isThere) await append(path, text, terminate);
    }
  };

  return {
    exportRecord: async (record, { attempt, signal, withAdvisoryLock }) => {
      // One export at a time: an append under way looks like a partial line. Own queue first: one job waits.
      const own = lastExport.then(() => withAdvisoryLock(LOCK_KEY, () => exportOnce(record, attempt, signal)));
      lastExport = own.catch(() => undefined);
      await own;

      return record.submission_id;
    },
    test: async () => [await testFolder(folder)],
  };
}
