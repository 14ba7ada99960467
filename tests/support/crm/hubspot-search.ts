import * as v from 'valibot';
import { respondJson, type CrmResponse } from './fake-crm.ts';
import { readJson, type RoutedRequest } from './crm-rules.ts';
import { respondBadBody } from './hubspot-responses.ts';
import type { HubspotRecord } from './hubspot-store.ts';

const filter = v.strictObject({
  propertyName: v.string(),
  operator: v.picklist(['EQ', 'NEQ', 'GTE', 'LTE', 'HAS_PROPERTY', 'CONTAINS_TOKEN']),
  value: v.optional(v.string()),
});
type Filter = v.InferOutput<typeof filter>;

const searchBody = v.strictObject({
  filterGroups: v.pipe(v.array(v.strictObject({ filters: v.array(filter) })), v.maxLength(5)),
  properties: v.optional(v.array(v.string())),
  sorts: v.optional(v.array(v.unknown())),
  limit: v.optional(v.pipe(v.number(), v.maxValue(200))),
  after: v.optional(v.union([v.string(), v.number()])),
});
const batchReadBody = v.strictObject({
  inputs: v.pipe(v.array(v.strictObject({ id: v.string() })), v.minLength(1), v.maxLength(100)),
  properties: v.array(v.string()),
  propertiesWithHistory: v.array(v.string()),
  idProperty: v.optional(v.string()),
});

/** A record and what filters may name of it beside its properties. */
export interface Searchable {
  readonly record: HubspotRecord;
  readonly extra?: Readonly<Record<string, string>>;
}

function toNumber(value: string | undefined): number {
  return /^\d+$/.test(value ?? '') ? Number(value) : Date.parse(value ?? '');
}

function matches({ record, extra }: Searchable, filter: Filter): boolean {
  const { propertyName, operator, value = '' } = filter;
  const own = extra?.[propertyName] ?? record.properties[propertyName];
  switch (operator) {
    case 'EQ':
      return own?.toLowerCase() === value.toLowerCase();
    case 'NEQ':
      return own !== value;
    case 'HAS_PROPERTY':
      return own !== undefined;
    case 'GTE':
      return toNumber(own) >= toNumber(value);
    case 'LTE':
      return toNumber(own) <= toNumber(value);
    case 'CONTAINS_TOKEN':
      return own?.toLowerCase().includes(value.replaceAll('*', '').toLowerCase()) ?? false;
  }
}

/** Filters of a group must all match; one group that does suffices. */
export function searchRecords(records: readonly Searchable[], request: RoutedRequest): CrmResponse {
  const { filterGroups, limit = 10 } = readJson(request, searchBody, respondBadBody);
  const found = records.filter((candidate) =>
    filterGroups.some(({ filters }) => filters.every((one) => matches(candidate, one))),
  );
  const results = found.slice(0, limit).map(({ record }) => ({ ...record, archived: false }));

  return respondJson(200, { total: found.length, results });
}

/** Returns what it finds by id or `idProperty`; what it doesn't find is reported as 207 does, one error for all. */
export function readRecords(records: readonly HubspotRecord[], request: RoutedRequest): CrmResponse {
  const { inputs, idProperty } = readJson(request, batchReadBody, respondBadBody);
  const keyOf = (record: HubspotRecord) =>
    idProperty === undefined ? record.id : record.properties[idProperty]?.toLowerCase();
  const find = (id: string) => records.find((record) => keyOf(record) === id.toLowerCase());
  const results = inputs
    .map(({ id }) => find(id))
    .filter((record) => record !== undefined)
    .map((record) => ({ ...record, archived: false }));
  const missing = inputs.filter(({ id }) => find(id) === undefined).map(({ id }) => id);
  if (missing.length === 0) return respondJson(200, { status: 'COMPLETE', results });

  const error = {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    message: 'Could not get some CONTACT objects, they may be deleted or not exist.',
    context: { ids: missing },
  };

  return respondJson(207, { status: 'COMPLETE', results, numErrors: 1, errors: [error] });
}
