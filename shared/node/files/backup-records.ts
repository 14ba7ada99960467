import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { getErrorCode } from '../logging/describe-error.ts';

/*
 * What became of the backups after they were made is recorded beside them, in a small file each: the worker and the
 * operator's tool see the folder, and the worker has no secret of the repository that it could ask.
 */

const timeSchema = v.pipe(v.string(), v.isoTimestamp(), v.transform((time) => new Date(time)));

const rehearsalSchema = v.object({
  backup: v.string(),
  rehearsed_at: timeSchema,
  /** Why it failed; null when it succeeded. */
  error: v.nullable(v.string()),
  /** When the last one succeeded, this one or one before; null: none has. */
  succeeded_at: v.nullable(timeSchema),
});

/** How the last rehearsal of a restore ended. */
export type Rehearsal = v.InferOutput<typeof rehearsalSchema>;

const REHEARSAL = 'rehearsal';

const successSchema = v.object({
  /** Null: it failed, and never succeeded before. */
  succeeded_at: v.nullable(timeSchema),
});

/** When something last succeeded that is expected to go on; there is none where it is not set up. */
export type Success = v.InferOutput<typeof successSchema>;

/** What such a record is about: the copy of the newest backup in BACKUP_REPOSITORY, or the archive there. */
type RecordedTask = 'copy' | 'archive';

const getPath = (folder: string, name: string): string => join(folder, `${name}.json`);

/** Undefined where there is no record, or one that another version wrote. */
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

/**
 * Reads how the last rehearsal ended; undefined before the first.
 * @throws the file system's errors
 */
export const readRehearsal = (folder: string): Promise<Rehearsal | undefined> =>
  readRecord(folder, REHEARSAL, rehearsalSchema);

/**
 * Records how a rehearsal ended that took place now.
 * @throws the file system's errors
 */
export async function recordRehearsal(
  folder: string,
  { backup, error }: Pick<Rehearsal, 'backup' | 'error'>,
): Promise<void> {
  const now = new Date();
  const succeededAt = error === null ? now : ((await readRehearsal(folder))?.succeeded_at ?? null);
  await writeRecord(folder, REHEARSAL, { backup, rehearsed_at: now, error, succeeded_at: succeededAt } satisfies Rehearsal);
}

/**
 * Reads when a task last succeeded; undefined where it is not set up, or nothing has come of it yet.
 * @throws the file system's errors
 */
export const readSuccess = (folder: string, task: RecordedTask): Promise<Success | undefined> =>
  readRecord(folder, task, successSchema);

/** @throws the file system's errors */
export const recordSuccess = (folder: string, task: RecordedTask, at: Date): Promise<void> =>
  writeRecord(folder, task, { succeeded_at: at } satisfies Success);

/**
 * Records that a task has failed that never succeeded: it is set up all the same. A success stays on record.
 * @throws the file system's errors
 */
export async function recordFailure(folder: string, task: RecordedTask): Promise<void> {
  if (!(await readSuccess(folder, task))) await writeRecord(folder, task, { succeeded_at: null } satisfies Success);
}

/**
 * Removes the record of a task that is no longer set up, so that nobody waits for its success.
 * @throws the file system's errors
 */
export const removeRecord = (folder: string, task: RecordedTask): Promise<void> =>
  rm(getPath(folder, task), { force: true });
