import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { getErrorCode } from '../logging/describe-error.ts';

/* Records about the backups, stored beside them. The worker reads these, because it can't access the repository. */

const timeSchema = v.pipe(v.string(), v.isoTimestamp(), v.transform((time) => new Date(time)));

const rehearsalSchema = v.object({
  backup: v.string(),
  rehearsed_at: timeSchema,
  /** Null if the rehearsal succeeded. */
  error: v.nullable(v.string()),
});

export type Rehearsal = v.InferOutput<typeof rehearsalSchema>;

const REHEARSAL = 'rehearsal';

const copySchema = v.object({
  /** Null if all attempts failed. */
  succeeded_at: v.nullable(timeSchema),
});

export type Copy = v.InferOutput<typeof copySchema>;

const COPY = 'copy';

const getPath = (folder: string, name: string): string => join(folder, `${name}.json`);

/** Returns a record; undefined if there is none, or if another version wrote it. */
async function readRecord<Schema extends v.GenericSchema>(
  folder: string,
  name: string,
  schema: Schema,
): Promise<v.InferOutput<Schema> | undefined> {
  try {
    const result = v.safeParse(schema, JSON.parse(await readFile(getPath(folder, name), 'utf8')));

    return result.success ? result.output : undefined;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function writeRecord(folder: string, name: string, record: object): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = getPath(folder, name);
  await writeFile(`${path}.part`, `${JSON.stringify(record)}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.part`, path);
}

/** Returns the result of the last rehearsal. Undefined before the first one. */
export const readRehearsal = (folder: string): Promise<Rehearsal | undefined> =>
  readRecord(folder, REHEARSAL, rehearsalSchema);

/** Records the result of a rehearsal. */
export async function recordRehearsal(
  folder: string,
  { backup, error }: Pick<Rehearsal, 'backup' | 'error'>,
): Promise<void> {
  await writeRecord(folder, REHEARSAL, { backup, rehearsed_at: new Date(), error } satisfies Rehearsal);
}

/** Returns the record of the last copy. Undefined before the first attempt. */
export const readCopy = (folder: string): Promise<Copy | undefined> => readRecord(folder, COPY, copySchema);

export const recordCopy = (folder: string, at: Date): Promise<void> =>
  writeRecord(folder, COPY, { succeeded_at: at } satisfies Copy);

/** Records a failed copy if none has succeeded before, so that the `backup copy` check warns. */
export async function recordFailedCopy(folder: string): Promise<void> {
  if (!(await readCopy(folder))) await writeRecord(folder, COPY, { succeeded_at: null } satisfies Copy);
}

/** Removes the record, so that the `backup copy` check doesn't expect a copy. */
export const removeCopyRecord = (folder: string): Promise<void> => rm(getPath(folder, COPY), { force: true });
