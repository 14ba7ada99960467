import { runChecksInOrder, type CrmCheck, type ExplainFailure } from './crm-checks.ts';
import { CrmError } from './crm-api.ts';
import type { CrmProvider, CrmRecord, ExportContext } from './crm-provider.ts';

export type Values = Readonly<Record<string, unknown>>;

export interface Task {
  readonly record: CrmRecord;
  readonly context: ExportContext;
  /** Ids of the records that earlier steps found or created, by step. */
  readonly ids: Readonly<Record<string, string>>;
  /** Names of the steps whose record this export created. */
  readonly created: ReadonlySet<string>;
}

export interface StepRecord {
  readonly id: string;
  /** Fields that have no value and may be filled. */
  readonly empty?: readonly string[];
  /** Whether this export created the record. */
  readonly isCreatedByExport?: boolean;
}

/** Finds the record that an earlier attempt created. Its text contains the submission's id. */
export function findBySubmissionId<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { record }: Task,
  readText: (row: Row) => string | null | undefined,
): StepRecord | undefined {
  const own = rows.find((row) => readText(row)?.includes(record.submission_id));

  return own && { id: own.id, isCreatedByExport: true };
}

/** A step of an export, which finds or creates one record. It fills the empty fields of a record it finds. */
export interface CrmStep {
  /** The record's name, such as `person`. If the step creates the record, its id is stored under this name. */
  readonly name: string;
  /** Returns undefined if the lead needs no such record. */
  readonly values: (task: Task) => Values | undefined;
  /** Key of the lock held during find and create. Without it, two workers could both create the record. */
  readonly lock?: (task: Task) => string;
  /** Looks the record up. `refusal` is set if the CRM refused to create it because it already exists. */
  readonly find?: (task: Task, refusal?: CrmError['refusal']) => Promise<StepRecord | undefined>;
  /** Each export creates its own record in this step, so the first attempt skips the search. */
  readonly alwaysCreates?: true;
  /** Returns the id; null if the CRM doesn't return one. */
  readonly create: (task: Task, values: Values) => Promise<string | null>;
  /** Writes values to a found record. */
  readonly update?: (id: string, values: Values) => Promise<unknown>;
  /** The export continues if the CRM refuses this record. */
  readonly isOptional?: true;
}

const filterValues = (values: Values, keeps: (field: string) => boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([field]) => keeps(field)));

/** Fills only empty fields. Anyone can type a customer's address, so existing values never change. */
async function fillEmpty({ update }: CrmStep, { id, empty }: StepRecord, values: Values): Promise<void> {
  const missing = filterValues(values, (field) => empty?.includes(field) === true);
  await withoutRefused(missing, async (rest) => {
    if (Object.keys(rest).length > 0) await update?.(id, rest);
  });
}

/** Calls `write`. If the CRM refuses values that can be omitted, repeats the call without them. */
async function withoutRefused<Result>(values: Values, write: (values: Values) => Promise<Result>): Promise<Result> {
  try {
    return await write(values);
  } catch (error) {
    const refused = error instanceof CrmError ? (error.refusal.refusedFields ?? []) : [];
    if (!refused.some((field) => field in values)) throw error;

    return withoutRefused(filterValues(values, (field) => !refused.includes(field)), write);
  }
}

/** Creates the record, or returns the existing one if the CRM refuses a duplicate. */
function createRecord(step: CrmStep, task: Task, values: Values): Promise<StepRecord | undefined> {
  return withoutRefused(values, async (rest) => {
    try {
      const id = await step.create(task, rest);

      return id === null ? undefined : { id, isCreatedByExport: true };
    } catch (error) {
      const isDuplicate = error instanceof CrmError && error.refusal.isDuplicate === true;
      const known = isDuplicate ? await step.find?.(task, error.refusal) : undefined;
      if (!known) throw error;
      await fillEmpty(step, known, rest);

      return known;
    }
  });
}

async function findOrCreate(step: CrmStep, task: Task, values: Values): Promise<StepRecord | undefined> {
  const found = step.alwaysCreates && task.context.attempt === 1 ? undefined : await step.find?.(task);
  if (!found) return createRecord(step, task, values);
  if (!found.isCreatedByExport) await fillEmpty(step, found, values);

  return found;
}

/** Completes a step unless an earlier attempt already did. Returns the step's record. */
async function completeStep(step: CrmStep, task: Task): Promise<StepRecord | undefined> {
  const { steps, withAdvisoryLock } = task.context;
  const done = steps.get(step.name);
  if (done !== undefined) return { id: done, isCreatedByExport: true };
  const values = step.values(task);
  if (!values) return undefined;
  const perform = () => findOrCreate(step, task, values);

  try {
    const known = await (step.lock ? withAdvisoryLock(step.lock(task), perform) : perform());
    if (known?.isCreatedByExport) await steps.record(step.name, known.id);

    return known;
  } catch (error) {
    if (step.isOptional && error instanceof CrmError && [403, 422].includes(error.status)) return undefined;

    throw error;
  }
}

export interface Vendor<Connection> {
  readonly connect: (signal: AbortSignal) => Connection;
  readonly steps: (connection: Connection) => readonly CrmStep[];
  /** The step whose record id the export returns. */
  readonly lead: string;
  readonly checks: (connection: Connection) => readonly CrmCheck[];
  readonly explainFailure: ExplainFailure;
}

/** Creates a CRM provider. A retry continues after the last recorded step, and searches before it creates a record. */
export function createVendorProvider<Connection>(vendor: Vendor<Connection>): CrmProvider {
  return {
    exportRecord: async (record, context) => {
      const ids: Record<string, string> = {};
      const created = new Set<string>();
      for (const step of vendor.steps(vendor.connect(context.signal))) {
        const known = await completeStep(step, { record, context, ids, created });
        if (known) ids[step.name] = known.id;
        if (known?.isCreatedByExport) created.add(step.name);
      }

      return ids[vendor.lead] ?? null;
    },
    test: (signal) => runChecksInOrder(vendor.checks(vendor.connect(signal)), vendor.explainFailure),
  };
}
