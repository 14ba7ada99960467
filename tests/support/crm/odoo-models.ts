import { refuseValue } from './odoo-responses.ts';

export type OdooValues = Record<string, unknown>;
export interface OdooRecord extends OdooValues {
  readonly id: number;
}

/** What a field holds; another model's name stands for one record of it. */
type FieldKind = 'text' | 'any' | 'tags' | { readonly one: string };

export interface OdooModel {
  readonly fields: Readonly<Record<string, FieldKind>>;
  readonly required: readonly string[];
  readonly records: OdooRecord[];
}
export type OdooDatabase = ReadonlyMap<string, OdooModel>;

/** The key's user. */
export const USER_ID = 2;

const leadFields: Record<string, FieldKind> = {
  name: 'text',
  type: 'text',
  contact_name: 'text',
  partner_name: 'text',
  email_from: 'text',
  phone: 'text',
  function: 'text',
  website: 'text',
  description: 'text',
  referred: 'text',
  active: 'any',
  team_id: 'any',
  user_id: 'any',
  lang_id: 'any',
  tag_ids: 'tags',
  source_id: { one: 'utm.source' },
  medium_id: { one: 'utm.medium' },
  campaign_id: { one: 'utm.campaign' },
};

function makeModel(fields: Record<string, FieldKind>, records: OdooRecord[] = []): OdooModel {
  return { fields, required: ['name'], records };
}

/**
 * Empty tables of leads and their tags (unless the CRM is not installed) and the three UTM lists, and the
 * keys whose end is known.
 */
export function makeDatabase(
  customFields: readonly string[],
  keyEnd?: string,
  hasCrm = true,
): OdooDatabase {
  const custom = Object.fromEntries(customFields.map((name) => [name, 'text' as const]));

  const keys = keyEnd === undefined ? [] : [{ id: 1, user_id: USER_ID, expiration_date: keyEnd }];

  const crm = [
    ['crm.lead', makeModel({ ...leadFields, ...custom })],
    ['crm.tag', makeModel({ name: 'text', color: 'any', active: 'any' })],
  ] as const;

  return new Map([
    ...(hasCrm ? crm : []),
    ['res.users.apikeys', makeModel({ user_id: 'any', expiration_date: 'any' }, keys)],
    ['utm.source', makeModel({ name: 'text' })],
    ['utm.medium', makeModel({ name: 'text' })],
    ['utm.campaign', makeModel({ name: 'text', title: 'text' })],
  ]);
}

/** Odoo's sign for 'no value' is false. */
const isEmpty = (value: unknown) => value === false || value === null || value === undefined;

export interface Target {
  readonly database: OdooDatabase;
  readonly modelName: string;
  readonly model: OdooModel;
  /** The body as sent, for the traceback. */
  readonly sent: string;
}

/** Refuses a field the model has not. */
export function requireField({ modelName, model, sent }: Target, field: string): void {
  if (field === 'id' || field === 'display_name' || field in model.fields) return;
  refuseValue('builtins.ValueError', `Invalid field '${field}' on model '${modelName}'`, sent);
}

function checkValue(target: Target, field: string, value: unknown): void {
  requireField(target, field);
  const kind = target.model.fields[field];
  if (isEmpty(value) || kind === undefined || kind === 'any') return;
  const wrong = (message: string) => refuseValue('builtins.ValueError', message, target.sent);
  if (kind === 'text' && typeof value !== 'string') wrong(`Wrong value for ${field}`);
  if (kind === 'tags' && !Array.isArray(value)) wrong(`Wrong value for ${field}`);
  if (field === 'type' && value !== 'lead' && value !== 'opportunity') {
    wrong(`Wrong value for ${target.modelName}.type: ${JSON.stringify(value)}`);
  }
  if (typeof kind !== 'object') return;
  const records = target.database.get(kind.one)?.records ?? [];
  if (records.some(({ id }) => id === value)) return;
  const message = `The operation cannot be completed: ${field} refers to no record`;
  refuseValue('odoo.exceptions.ValidationError', message, target.sent);
}

function checkRequired({ model, sent }: Target, values: OdooValues): void {
  const missing = model.required.find((name) => isEmpty(values[name]) || values[name] === '');
  if (missing === undefined) return;
  const message = `Missing required value for the field '${missing}' (${missing})`;
  refuseValue('odoo.exceptions.ValidationError', message, sent);
}

/** Lists of UTM names keep them apart by a number: 'web', 'web [2]'. */
function separateName({ modelName, model }: Target, values: OdooValues): OdooValues {
  const taken = model.records.filter(({ name }) => name === values['name']).length;

  return modelName.startsWith('utm.') && taken > 0
    ? { ...values, name: `${String(values['name'])} [${taken + 1}]` }
    : values;
}

/** Adds all records or, one of them being wrong, none; gives their ids. */
export function createRecords(target: Target, list: readonly OdooValues[]): number[] {
  for (const values of list) {
    for (const [field, value] of Object.entries(values)) checkValue(target, field, value);
    checkRequired(target, values);
  }

  return list.map((values) => {
    const id = target.model.records.length + 1;
    target.model.records.push({ ...separateName(target, values), id });

    return id;
  });
}

/** Changes all these records or, one of them missing or a value being wrong, none. */
export function writeRecords(target: Target, ids: readonly number[], values: OdooValues): void {
  for (const [field, value] of Object.entries(values)) checkValue(target, field, value);
  const records = findByIds(target, ids);
  for (const record of records) checkRequired(target, { ...record, ...values });
  for (const record of records) Object.assign(record, values);
}

/** The records of these ids; refuses when one of them is missing. */
export function findByIds({ model, sent }: Target, ids: readonly number[]): OdooRecord[] {
  const records = model.records.filter(({ id }) => ids.includes(id));
  if (records.length === new Set(ids).size) return records;
  const message = 'Record does not exist or has been deleted.';

  return refuseValue('odoo.exceptions.MissingError', message, sent);
}

/** A record as Odoo reads it out: false for no value, `[id, name]` for one of another model. */
export function showRecord(
  target: Target,
  record: OdooRecord,
  fields: readonly string[],
): OdooValues {
  const show = (field: string): unknown => {
    const value = record[field];
    const kind = target.model.fields[field];
    if (isEmpty(value)) return false;
    if (typeof kind !== 'object') return value;
    const other = target.database.get(kind.one)?.records.find(({ id }) => id === value);

    return [value, other?.['name'] ?? ''];
  };

  return { id: record.id, ...Object.fromEntries(fields.map((field) => [field, show(field)])) };
}
