import { hasPath, readPath, refuse, type TwentyObject, type TwentyRecord } from './twenty-fields.ts';

type Test = (record: TwentyRecord) => boolean;

/** Splits the terms of `and(...)` at commas outside of parentheses, brackets and quotation marks. */
function splitTerms(text: string): string[] {
  const terms = [''];
  let depth = 0;
  let isInBrackets = false;
  let quote = '';
  for (const sign of text) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (sign === '[' || sign === ']') isInBrackets = !isInBrackets;
    if (quote === '' ? sign === '"' || sign === "'" : sign === quote) quote = quote === '' ? sign : '';
    if (sign === ',' && depth === 0 && !isInBrackets && quote === '') terms.push('');
    else terms.push((terms.pop() ?? '') + sign);
  }

  return terms;
}

function unquote(value: string): string {
  return /^(["']).*["']$/s.test(value) ? value.slice(1, -1) : value;
}

function readList(value: string, comparator: string): string[] {
  if (/^\[.*\]$/s.test(value)) return value.slice(1, -1).split(',').map(unquote);

  return refuse(400, `'filter' invalid for '${comparator}' operator. Received '${value}' but array value expected`);
}

/** PostgreSQL's pattern with % and _. */
function isLike(own: string, pattern: string, flags: string): boolean {
  const escaped = pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const source = escaped.replaceAll('%', '.*').replaceAll('_', '.');

  return new RegExp(`^${source}$`, `s${flags}`).test(own);
}

const comparators: Record<string, (own: string, value: string) => boolean> = {
  eq: (own, value) => own === unquote(value),
  neq: (own, value) => own !== unquote(value),
  in: (own, value) => readList(value, 'in').includes(own),
  gt: (own, value) => own > unquote(value),
  gte: (own, value) => own >= unquote(value),
  lt: (own, value) => own < unquote(value),
  lte: (own, value) => own <= unquote(value),
  startsWith: (own, value) => own.startsWith(unquote(value)),
  endsWith: (own, value) => own.endsWith(unquote(value)),
  like: (own, value) => isLike(own, unquote(value), ''),
  ilike: (own, value) => isLike(own, unquote(value), 'i'),
};

function readText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

function readTerm(object: TwentyObject, term: string): Test {
  const [, path = '', comparator = '', value = ''] = /^([^[]+)\[([^\]]+)\]:(.+)$/s.exec(term) ?? [];
  if (path === '') refuse(400, `'filter' invalid for '${term}'. eg: price[gte]:10`);
  if (!hasPath(object, path)) refuse(400, `Object ${object.singular} doesn't have any "${path}" field.`);
  if (comparator === 'is') {
    if (value !== 'NULL' && value !== 'NOT_NULL') refuse(400, `'filter' invalid for '${term}'`);
    const isEmpty = value === 'NULL';

    return (record) => ((readPath(record, path) ?? null) === null) === isEmpty;
  }
  if (comparator === 'containsAny') {
    const wanted = readList(value, comparator);

    return (record) => {
      const own = readPath(record, path);

      return Array.isArray(own) && own.some((one) => wanted.includes(readText(one)));
    };
  }
  const compare = Object.hasOwn(comparators, comparator) ? comparators[comparator] : undefined;
  if (compare === undefined) {
    return refuse(400, `'filter' invalid for '${term}', comparator ${comparator} not known`);
  }

  return (record) => {
    const own = readPath(record, path);

    return own !== null && own !== undefined && compare(readText(own), value);
  };
}

function readPart(object: TwentyObject, text: string): Test {
  const [, conjunction, inner = ''] = /^(and|or|not)\((.+)\)$/s.exec(text) ?? [];
  if (conjunction === undefined) return readTerm(object, text);
  const tests = splitTerms(inner).map((term) => readPart(object, term));
  if (conjunction === 'or') return (record) => tests.some((test) => test(record));
  if (conjunction === 'and') return (record) => tests.every((test) => test(record));
  if (tests.length > 1) refuse(400, "'filter' invalid. 'not' conjunction should contain only 1 condition.");

  return (record) => !tests.some((test) => test(record));
}

/**
 * Reads a filter such as `and(emails.primaryEmail[eq]:"a@b.cd",city[is]:NULL)`. Records in the bin only
 * match a filter that names `deletedAt`.
 * @throws Refusal 400
 */
export function readFilter(object: TwentyObject, filter: string | null): Test {
  const isBinAsked = filter?.includes('deletedAt') ?? false;
  const test = filter === null || filter === '' ? () => true : readPart(object, `and(${filter})`);

  return (record) => (isBinAsked || record.deletedAt === null) && test(record);
}
