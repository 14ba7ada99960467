import { createReadStream } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { stringify } from 'csv-stringify/sync';
import type { CrmProvider, CrmRecord } from './crm-provider.ts';

const SOURCE_COLUMNS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'referrer',
  'landing_path',
] as const;

/** One flat row per lead, its columns in a fixed order so that a file stays one table. */
function toCsvRow({ source, ...record }: CrmRecord): Record<string, string | null> {
  const sourceCells = SOURCE_COLUMNS.map((column) => [column, source[column] ?? null] as const);

  return { ...record, ...Object.fromEntries(sourceCells) };
}

function formatCsv(record: CrmRecord, header: boolean): string {
  return stringify([toCsvRow(record)], {
    header,
    // A cell that begins like a formula would be run by a spreadsheet.
    escape_formulas: true,
    record_delimiter: 'windows',
  });
}

async function endsInsideLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);

  return buffer.toString() !== '\n';
}

/** Appends in one write and waits until the disk has it; a line torn by a crash is ended first. */
async function append(path: string, makeText: (isFirst: boolean) => string): Promise<void> {
  const file = await open(path, 'a+', 0o600);

  try {
    const { size } = await file.stat();
    const text = makeText(size === 0);
    await file.appendFile((await endsInsideLine(file, size)) ? `\n${text}` : text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Whether a complete line of the file holds the text. */
async function hasLineWith(path: string, text: string): Promise<boolean> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });

  try {
    for await (const line of lines) if (line.includes(text)) return true;

    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  } finally {
    lines.close();
  }
}

/**
 * Writes every lead to `submissions.ndjson` (one JSON object a line, values as they are) and
 * `submissions.csv` (for spreadsheets) in a folder.
 */
export function createFileProvider(directory: string): CrmProvider {
  const folder = resolve(directory);
  const ndjson = join(folder, 'submissions.ndjson');
  const csv = join(folder, 'submissions.csv');

  return {
    exportRecord: async (record, attempt) => {
      await mkdir(folder, { recursive: true });
      // A try that died between writing and being recorded has left its line.
      const isMissing = async (path: string) =>
        attempt === 1 || !(await hasLineWith(path, record.submission_id));

      if (await isMissing(ndjson)) await append(ndjson, () => `${JSON.stringify(record)}\n`);
      if (await isMissing(csv)) await append(csv, (isFirst) => formatCsv(record, isFirst));

      return record.submission_id;
    },
  };
}
