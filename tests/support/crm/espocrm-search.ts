import { refuse, type EspocrmLead } from './espocrm-fields.ts';

/** Most records a list gives; more must not be asked for. */
const LONGEST_LIST = 200;

type Branch = { [key: string]: Branch | string };

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Puts one parameter, `where[0][type]`, where PHP puts it; `[]` adds to a list. */
function plant(root: Branch, name: string, value: string): void {
  const keys = [/^[^[]+/.exec(name)?.[0] ?? '', ...[...name.matchAll(/\[([^\]]*)\]/g)].map((key) => key[1] ?? '')];
  let branch = root;
  keys.forEach((given, depth) => {
    const key = given === '' ? String(Object.keys(branch).length) : given;
    if (depth === keys.length - 1) {
      branch[key] = value;

      return;
    }
    const next = branch[key];
    const child = isBranch(next) ? next : {};
    branch[key] = child;
    branch = child;
  });
}

/** Reads a query as PHP does, or the JSON in its `searchParams`. */
function readParameters(query: URLSearchParams): Record<string, unknown> {
  const json = query.get('searchParams');
  if (json !== null) {
    try {
      return JSON.parse(json) as Record<string, unknown>;
    } catch {
      refuse(400, 'Invalid search params JSON.');
    }
  }
  const root: Branch = {};
  for (const [name, value] of query) plant(root, name, value);

  return root;
}

/** A list, which PHP's queries write as an object with numbers for keys. */
function readList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;

  return isBranch(value) ? Object.values(value) : refuse(400, "Bad 'value'.");
}

/** Texts compare as in MySQL, whatever their case. */
function fold(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : (value ?? null);
}

const comparisons: Record<string, (own: unknown, value: unknown) => boolean> = {
  equals: (own, value) => fold(own) === fold(value),
  notEquals: (own, value) => fold(own) !== fold(value),
  in: (own, value) => readList(value).some((one) => fold(one) === fold(own)),
  notIn: (own, value) => !readList(value).some((one) => fold(one) === fold(own)),
  isNull: (own) => (own ?? null) === null,
  isNotNull: (own) => (own ?? null) !== null,
  isTrue: (own) => own === true,
  isFalse: (own) => own !== true,
  contains: (own, value) => String(fold(own)).includes(String(fold(value))),
  startsWith: (own, value) => String(fold(own)).startsWith(String(fold(value))),
  endsWith: (own, value) => String(fold(own)).endsWith(String(fold(value))),
};

export interface SearchSpace {
  readonly attributes: readonly string[];
  /** Attributes the role may not read. */
  readonly hidden: readonly string[];
  readonly majorVersion: number;
}

const itemKeys = ['type', 'attribute', 'field', 'value', 'dateTime', 'date', 'timeZone'];

/** Makes a test of one condition; refuses one that names what the entity has not or the role may not read. */
function readItem(space: SearchSpace, item: unknown): (lead: EspocrmLead) => boolean {
  if (!isBranch(item)) return refuse(400, 'Bad where.');
  const { type, value } = item;
  const alien = Object.keys(item).find((key) => !itemKeys.includes(key));
  if (alien !== undefined) refuse(400, `Unknown parameter '${alien}'.`);
  if (typeof type !== 'string') return refuse(400, "No 'type' in where item.");
  if (type === 'and' || type === 'or') {
    const parts = readList(value).map((part) => readItem(space, part));

    return (lead) =>
      type === 'and' ? parts.every((part) => part(lead)) : parts.some((part) => part(lead));
  }
  const attribute = item['attribute'] ?? item['field'];
  if (typeof attribute !== 'string') return refuse(400, "No 'attribute' in where item.");
  if (!space.attributes.includes(attribute)) {
    refuse(400, `Not existing attribute '${attribute}' in where.`);
  }
  if (space.hidden.includes(attribute)) refuse(400, `Forbidden attribute '${attribute}' in where.`);
  const compare = Object.hasOwn(comparisons, type) ? comparisons[type] : undefined;
  if (compare === undefined) return refuse(400, `Unknown where item type '${type}'.`);

  return (lead) => compare(lead[attribute], value);
}

function readNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;

  return typeof value === 'string' && value !== '' ? parseInt(value, 10) || 0 : undefined;
}

/** What a list's query asks for. */
interface Search {
  readonly fits: (lead: EspocrmLead) => boolean;
  readonly select: readonly string[] | undefined;
  readonly offset: number;
  readonly size: number;
}

/**
 * Reads a list's query. Version 8 doesn't know the names `whereGroup` and `attributeSelect` and passes
 * over them, as every version does over names it doesn't know: such a list is of all leads.
 */
export function readSearch(space: SearchSpace, query: URLSearchParams): Search {
  const isAliasKnown = space.majorVersion >= 9;
  const given = readParameters(query);
  const where = (isAliasKnown ? given['whereGroup'] : undefined) ?? given['where'];
  const select = (isAliasKnown ? given['attributeSelect'] : undefined) ?? given['select'];
  const size = readNumber(given['maxSize']) ?? LONGEST_LIST;
  if (size > LONGEST_LIST) {
    refuse(403, `Max size should not exceed ${LONGEST_LIST}. Use offset and limit.`);
  }
  const items = isBranch(where) || Array.isArray(where) ? readList(where) : [];
  const parts = items.map((item) => readItem(space, item));

  return {
    fits: (lead) => parts.every((part) => part(lead)),
    select: Array.isArray(select) ? select.map(String) : typeof select === 'string' ? select.split(',') : undefined,
    offset: readNumber(given['offset']) ?? 0,
    size,
  };
}
