import { createReadStream } from 'node:fs';
import { access, constants, mkdir, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
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

/** How many bytes to read from the end of a file. Longer than any record. */
const TAIL_BYTES = 128 * 1024;

/** A constant, because the folder's path may differ between containers. */
const LOCK_KEY = 'crm-files';

function formatCsvRow(record: CrmRecord): string {
  const cells = RECORD_COLUMNS.map((column) => record[column]);
  const source = sourceNames.map((column) => record.source[column]);

  return stringify([[...cells, ...source]], spreadsheetCsv);
}

const formatCsvHeading = () => stringify([[...RECORD_COLUMNS, ...sourceNames]], spreadsheetCsv);

/** Returns the text that completes a line cut off by a crash; empty if the last line is complete. */
type TerminateLine = (text: string) => string;

const terminateNdjson: TerminateLine = (text) => (text === '' || text.endsWith('\n') ? '' : '\n');

/** Closes an open quote, which would swallow the next row. CR LF occurs only between rows. */
const terminateCsv: TerminateLine = (text) => {
  const partial = text.slice(text.lastIndexOf('\r\n') + 1).trimStart();
  const hasOpenQuote = (partial.split('"').length - 1) % 2 === 1;

  return text.endsWith('\r\n') ? '' : `${hasOpenQuote ? '"' : ''}\r\n`;
};

/** Returns whether a file contains a text. Streams the file, because it might not fit in memory. */
async function includesText(path: string, text: string): Promise<boolean> {
  let end = '';
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    const part = end + chunk;
    if (part.includes(text)) return true;
    // The text may continue in the next chunk.
    end = part.slice(1 - text.length);
  }

  return false;
}

interface Line {
  readonly path: string;
  /** First line of the file. */
  readonly heading: string;
  readonly text: string;
  readonly terminate: TerminateLine;
}

/** Appends a line, unless this is a retry and an earlier attempt already wrote it. */
async function appendOnce({ path, heading, text, terminate }: Line, isRetry: boolean, signal: AbortSignal): Promise<void> {
  const file = await open(path, 'a+', 0o600);

  try {
    if (isRetry && (await includesText(path, text))) return;
    signal.throwIfAborted();
    const { size } = await file.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    await file.appendFile((size === 0 ? heading : terminate(buffer.toString())) + text);
    await file.sync();
    if (size === 0) await syncFolder(dirname(path));
  } finally {
    await file.close();
  }
}

async function testFolder(folder: string): Promise<CrmCheckResult> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);

    return { check: 'folder', state: 'ok', detail: `${folder} is writable.` };
  } catch (error) {
    const code = getErrorCode(error) ?? 'unknown';

    return { check: 'folder', state: 'fail', detail: `CRM_DIR ${folder} is not writable (${code}).` };
  }
}

/** Appends every lead to `submissions.ndjson` and `submissions.csv` in a folder, one worker at a time. */
export function createFileProvider(directory: string): CrmProvider {
  const folder = resolve(directory);
  const ndjson = join(folder, 'submissions.ndjson');
  const csv = join(folder, 'submissions.csv');
  let lastExport = Promise.resolve();

  const exportOnce = async (record: CrmRecord, attempt: number, signal: AbortSignal) => {
    // After a long wait, another worker may have taken over this export.
    signal.throwIfAborted();
    await mkdir(folder, { recursive: true });
    const lines: readonly Line[] = [
      { path: ndjson, heading: '', text: `${JSON.stringify(record)}\n`, terminate: terminateNdjson },
      { path: csv, heading: formatCsvHeading(), text: formatCsvRow(record), terminate: terminateCsv },
    ];
    for (const line of lines) await appendOnce(line, attempt > 1, signal);
  };

  return {
    exportRecord: async (record, { attempt, signal, withAdvisoryLock }) => {
      // An unfinished append looks like a line cut off by a crash, so exports run one at a time.
      // They wait in this process first. Otherwise each waiting export would occupy a database connection.
      const own = lastExport.then(() => withAdvisoryLock(LOCK_KEY, () => exportOnce(record, attempt, signal)));
      lastExport = own.catch(() => undefined);
      await own;

      return record.submission_id;
    },
    test: async () => [await testFolder(folder)],
  };
}
