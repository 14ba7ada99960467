import { runChecksInOrder, type CrmCheck, type ExplainFailure } from './crm-checks.ts';
import { CrmError } from './crm-api.ts';
import type { CrmProvider, CrmRecord, ExportContext } from './crm-provider.ts';

export type Values = Readonly<Record<string, unknown>>;

export interface Task {
  readonly record: CrmRecord;
  readonly context: ExportContext;
  /** Ids of the records that the steps so far found or created, by step. */
  readonly ids: Readonly<Record<string, string>>;
  /** The steps whose record this export created. */
  readonly created: ReadonlySet<string>;
}

export interface Known {
  readonly id: string;
  readonly empty?: readonly string[];
  /** An earlier attempt of this export created it. */
  readonly isOwn?: boolean;
}

/** One record of an export: it is found or created, and what is empty in a found one is filled. */
export interface CrmStep {
  /** The record, such as `person`: a created one's id is stored under this name. */
  readonly name: string;
  /** Undefined: this lead needs no such record. */
  readonly values: (task: Task) => Values | undefined;
  /** A key under which one worker at a time finds and creates: two would both find nothing. */
  readonly lock?: (task: Task) => string;
  /** Looks the record up, maybe after a creation was refused because it exists. */
  readonly find?: (task: Task, refusal?: CrmError['refusal']) => Promise<Known | undefined>;
  /** No other export creates or uses such a record: a first attempt creates it at once. */
  readonly isOwn?: true;
  /** Resolves to the id, null when the CRM doesn't return one. */
  readonly create: (task: Task, values: Values) => Promise<string | null>;
  /** Writes those values into a record that was found. */
  readonly update?: (id: string, values: Values) => Promise<unknown>;
  /** The export continues without the record when the CRM refuses it. */
  readonly isOptional?: true;
}

const filterValues = (values: Values, keeps: (field: string) => boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([field]) => keeps(field)));

/** Writes only what is empty: anybody can type a customer's address, so no existing value changes. */
async function fillEmpty({ update }: CrmStep, { id, empty }: Known, values: Values): Promise<void> {
  const missing = filterValues(values, (field) => empty?.includes(field) === true);
  await withoutRefused(missing, async (rest) => {
    if (Object.keys(rest).length > 0) await update?.(id, rest);
  });
}

/** Repeats `write` without the values that the CRM refuses, if it can do without them: a lead is worth more. */
async function withoutRefused<Result>(values: Values, write: (values: Values) => Promise<Result>): Promise<Result> {
  try {
    return await write(values);
  } catch (error) {
    const refused = error instanceof CrmError ? (error.refusal.refusedFields ?? []) : [];
    if (!refused.some((field) => field in values)) throw error;

    return withoutRefused(filterValues(values, (field) => !refused.includes(field)), write);
  }
}

/** Creates the record, or resolves to the one that exists where creating shows only then that it does. */
function createRecord(step: CrmStep, task: Task, values: Values): Promise<Known | undefined> {
  return withoutRefused(values, async (rest) => {
    try {
      const id = await step.create(task, rest);

      return id === null ? undefined : { id, isOwn: true };
    } catch (error) {
      const isDuplicate = error instanceof CrmError && error.refusal.isDuplicate === true;
      const known = isDuplicate ? await step.find?.(task, error.refusal) : undefined;
      if (!known) throw error;
      await fillEmpty(step, known, rest);

      return known;
    }
  });
}

async function findOrCreate(step: CrmStep, task: Task, values: Values): Promise<Known | undefined> {
  const found = step.isOwn && task.context.attempt === 1 ? undefined : await step.find?.(task);
  if (!found) return createRecord(step, task, values);
  if (!found.isOwn) await fillEmpty(step, found, values);

  return found;
}

/** Completes a step, unless an earlier attempt did; resolves to its record. */
async function completeStep(step: CrmStep, task: Task): Promise<Known | undefined> {
  const { steps, withAdvisoryLock } = task.context;
  const done = steps.get(step.name);
  if (done !== undefined) return { id: done, isOwn: true };
  const values = step.values(task);
  if (!values) return undefined;
  const perform = () => findOrCreate(step, task, values);

  try {
    const known = await (step.lock ? withAdvisoryLock(step.lock(task), perform) : perform());
    if (known?.isOwn) await steps.record(step.name, known.id);

    return known;
  } catch (error) {
    if (step.isOptional && error instanceof CrmError && [403, 422].includes(error.status)) return undefined;

    throw error;
  }
}

export type Attempt = Pick<ExportContext, 'signal'> & Partial<Pick<ExportContext, 'lastFailure'>>;

export interface Vendor<Connection> {
  readonly connect: (attempt: Attempt) => Connection;
  readonly steps: (connection: Connection) => readonly CrmStep[];
  /** The step whose record stands for the lead. */
  readonly lead: string;
  readonly checks: (connection: Connection) => readonly CrmCheck[];
  readonly explainFailure: ExplainFailure;
}

/** Makes a CRM's provider. A later attempt continues after the last known record and looks before it creates. */
export function createVendorProvider<Connection>(vendor: Vendor<Connection>): CrmProvider {
  return {
    exportRecord: async (record, context) => {
      const ids: Record<string, string> = {};
      const created = new Set<string>();
      for (const step of vendor.steps(vendor.connect(context))) {
        const known = await completeStep(step, { record, context, ids, created });
        if (known) ids[step.name] = known.id;
        if (known?.isOwn) created.add(step.name);
      }

      return ids[vendor.lead] ?? null;
    },
    test: (signal) => runChecksInOrder(vendor.checks(vendor.connect({ signal })), vendor.explainFailure),
  };
}
