import { randomUUID } from 'node:crypto';
import { respondJson, type CrmResponse } from './fake-crm.ts';
import type { RoutedRequest } from './crm-rules.ts';
import { readFilter } from './twenty-filter.ts';
import {
  applyValues,
  checkId,
  cleanValues,
  listEmptyValues,
  readPath,
  refuse,
  type TwentyObject,
  type TwentyRecord,
  type TwentyValues,
} from './twenty-fields.ts';

export interface Workspace {
  /** By the name of the path. */
  readonly objects: ReadonlyMap<string, TwentyObject>;
}

/** Most records a list gives, and how many it gives unasked. */
const LONGEST_LIST = 60;

const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function readBody({ body }: RoutedRequest): unknown {
  try {
    return body === '' ? {} : (JSON.parse(body) as unknown);
  } catch {
    return refuse(400, 'Unexpected token in JSON');
  }
}

function findObject({ objects }: Workspace, { parts }: RoutedRequest): TwentyObject {
  const { object: path = '' } = parts;

  return objects.get(path) ?? refuse(400, `object '${path}' not found. See available objects in the API's settings.`);
}

/** A relation whose record is missing breaks PostgreSQL's constraint. */
function checkRelations({ objects }: Workspace, object: TwentyObject, values: TwentyValues): void {
  for (const [field, path] of Object.entries(object.relations)) {
    const id = values[field] ?? null;
    const isKnown = objects.get(path)?.records.some((record) => record.id === id);
    if (id === null || isKnown === true) continue;
    refuse(400, `insert or update on table "${object.singular}" violates foreign key constraint`);
  }
}

/** Other records with one of these values that none may share, each with the path of it. */
function findSame(object: TwentyObject, values: TwentyValues, self?: TwentyRecord): TwentyRecord[] {
  return object.records.filter(
    (record) =>
      record !== self &&
      ['id', ...object.unique].some((path) => {
        const value = readPath(values, path) ?? '';

        return value !== '' && value === readPath(record, path);
      }),
  );
}

function refuseDuplicate({ singular }: TwentyObject): never {
  const constraint = `unique constraint ${singular}.IDX_UNIQUE_2a32339058d0b6910b0834ddf81 was violated`;

  return refuse(400, `A duplicate entry was detected: ${constraint}`);
}

function addRecord(object: TwentyObject, values: TwentyValues): TwentyRecord {
  const now = new Date().toISOString();
  const { id } = values;
  const record: TwentyRecord = {
    ...listEmptyValues(object),
    id: typeof id === 'string' ? id : randomUUID(),
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    createdBy: { source: 'API', workspaceMemberId: null, name: 'Website', context: {} },
  };
  applyValues(object, record, values);
  object.records.push(record);

  return record;
}

function changeRecord(object: TwentyObject, record: TwentyRecord, values: TwentyValues): TwentyRecord {
  applyValues(object, record, values);
  record['updatedAt'] = new Date().toISOString();

  return record;
}

/** A record with, unless `depth=0`, the records that its relations lead to. */
function show(workspace: Workspace, object: TwentyObject, record: TwentyRecord, query: URLSearchParams) {
  if (query.get('depth') === '0') return record;
  const related = Object.entries(object.relations).map(([field, path]) => {
    const found = workspace.objects.get(path)?.records.find(({ id }) => id === record[field]);

    return [field.slice(0, -'Id'.length), found ?? null] as const;
  });

  return { ...record, ...Object.fromEntries(related) };
}

/** Adds a record; one that shares a unique value with another, in the bin too, is refused. */
function putRecord(workspace: Workspace, object: TwentyObject, sent: unknown) {
  const values = cleanValues(object, sent);
  checkRelations(workspace, object, values);

  return findSame(object, values).length > 0 ? refuseDuplicate(object) : addRecord(object, values);
}

export function createOne(workspace: Workspace, request: RoutedRequest): CrmResponse {
  const object = findObject(workspace, request);
  const record = putRecord(workspace, object, readBody(request));
  const shown = show(workspace, object, record, request.query);

  return respondJson(201, { data: { [`create${capitalize(object.singular)}`]: shown } });
}

/** Adds all records or, one of them being refused, none. */
export function createMany(workspace: Workspace, request: RoutedRequest): CrmResponse {
  const object = findObject(workspace, request);
  const sent = readBody(request);
  if (!Array.isArray(sent)) return refuse(400, 'Request body is not an array');
  const before = structuredClone(object.records);
  try {
    const made = sent.map((one: unknown) => putRecord(workspace, object, one));

    return respondJson(201, { data: { [`create${capitalize(object.plural)}`]: made } });
  } catch (error) {
    object.records.splice(0, Infinity, ...before);
    throw error;
  }
}

function requireRecord(object: TwentyObject, { parts }: RoutedRequest): TwentyRecord {
  checkId(parts['id'], 'id');
  const record = object.records.find(({ id, deletedAt }) => id === parts['id'] && deletedAt === null);

  return record ?? refuse(404, 'Record not found');
}

export function updateOne(workspace: Workspace, request: RoutedRequest): CrmResponse {
  const object = findObject(workspace, request);
  const record = requireRecord(object, request);
  const values = cleanValues(object, readBody(request));
  checkRelations(workspace, object, values);
  if (findSame(object, values, record).length > 0) refuseDuplicate(object);
  const shown = show(workspace, object, changeRecord(object, record, values), request.query);

  return respondJson(200, { data: { [`update${capitalize(object.singular)}`]: shown } });
}

export function findOne(workspace: Workspace, request: RoutedRequest): CrmResponse {
  const object = findObject(workspace, request);
  const record = requireRecord(object, request);

  return respondJson(200, { data: { [object.singular]: show(workspace, object, record, request.query) } });
}

function readLimit(query: URLSearchParams): number {
  const given = query.get('limit');
  if (given === null || given === '') return LONGEST_LIST;
  const limit = Number(given);
  if (isNaN(limit) || limit < 0) refuse(400, `limit '${given}' is invalid. Should be an integer`);

  return Math.min(limit, LONGEST_LIST);
}

/** The records that match, from the cursor on, which is the id of the last one before. */
export function findMany(workspace: Workspace, request: RoutedRequest): CrmResponse {
  const object = findObject(workspace, request);
  const { query } = request;
  const found = object.records.filter(readFilter(object, query.get('filter')));
  const cursor = query.get('starting_after');
  const start = cursor === null ? 0 : found.findIndex(({ id }) => id === cursor) + 1;
  if (cursor !== null && start === 0) refuse(400, `Invalid cursor: ${cursor}`);
  const page = found.slice(start, start + readLimit(query));

  return respondJson(200, {
    data: { [object.plural]: page.map((record) => show(workspace, object, record, query)) },
    totalCount: found.length,
    pageInfo: {
      hasNextPage: start + page.length < found.length,
      startCursor: page[0]?.id ?? null,
      endCursor: page.at(-1)?.id ?? null,
    },
  });
}

/** Puts a record into the bin with `soft_delete=true`, else destroys it. */
export function deleteOne(workspace: Workspace, request: RoutedRequest): CrmResponse {
  const object = findObject(workspace, request);
  const record = requireRecord(object, request);
  if (request.query.get('soft_delete') === 'true') record.deletedAt = new Date().toISOString();
  else object.records.splice(object.records.indexOf(record), 1);

  return respondJson(200, { data: { [`delete${capitalize(object.singular)}`]: { id: record.id } } });
}
