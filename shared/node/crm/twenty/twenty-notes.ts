import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { noteRows, renderLeadMarkdown } from '../lead-fields.ts';
import { makeListPath, TwentyError, type TwentyExport } from './twenty-api.ts';

const createdSchema = v.object({ id: v.string() });

/** An id of the export's own for one of its records, which a repeat finds again; Twenty takes version 4 alone. */
export function deriveId(submissionId: string, what: string): string {
  const hash = createHash('sha256').update(`${submissionId} ${what}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hash.charAt(16), 16) % 4] ?? '8';

  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `4${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

/** What is created under an id of the export's own. */
type OwnObjects = 'people' | 'notes' | 'noteTargets';

/** Whether an earlier attempt created the record. */
async function exists({ call, context }: TwentyExport, objects: OwnObjects, id: string) {
  const path = makeListPath(objects, `id[eq]:"${id}"`, 1);
  const found = await call({ path, signal: context.signal }, v.record(v.string(), v.array(createdSchema)));

  return found[objects]?.some((record) => record.id === id) === true;
}

/** Creates a record of the export's own id, which an earlier attempt may have done. */
export async function createOnce(
  task: TwentyExport,
  objects: OwnObjects,
  body: { readonly id: string; readonly [field: string]: unknown },
): Promise<string> {
  try {
    await task.call({ path: `${objects}?depth=0`, body, signal: task.context.signal }, v.unknown());
  } catch (error) {
    if (!(error instanceof TwentyError) || error.status !== 400) throw error;
    if (!error.isDuplicate && !(await exists(task, objects, body.id))) throw error;
  }

  return body.id;
}

/** Creates the note with all that was typed; resolves to its id, also where it exists. */
export function createNote(task: TwentyExport): Promise<string> {
  const { record } = task;

  return createOnce(task, 'notes', {
    id: deriveId(record.submission_id, 'note'),
    title: `${record.company}: assessment request`,
    bodyV2: { markdown: renderLeadMarkdown(record, noteRows) },
  });
}

/** Shows the note on the person's page; resolves to the link's id, also where it exists. */
export async function createNoteTarget(task: TwentyExport, noteId: string, personId: string): Promise<string> {
  const body = { id: deriveId(task.record.submission_id, 'note target'), noteId };

  try {
    return await createOnce(task, 'noteTargets', { ...body, targetPersonId: personId });
  } catch (error) {
    if (!(error instanceof TwentyError) || error.unknownField !== 'targetPersonId') throw error;

    // Its name in older versions.
    return createOnce(task, 'noteTargets', { ...body, personId });
  }
}
