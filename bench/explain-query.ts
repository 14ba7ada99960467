import pg from 'pg';
import * as v from 'valibot';
import type { Database, Transaction } from '../shared/node/database/database.ts';

/** A statement as the product sends it. */
export interface Statement {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

const planFields = {
  'Node Type': v.string(),
  'Relation Name': v.optional(v.string()),
  'Index Name': v.optional(v.string()),
  'Actual Rows': v.number(),
  'Actual Loops': v.number(),
  'Rows Removed by Filter': v.optional(v.number(), 0),
  'Rows Removed by Index Recheck': v.optional(v.number(), 0),
  'Shared Hit Blocks': v.number(),
  'Shared Read Blocks': v.number(),
};

/** A node of EXPLAIN's JSON; `Plans` are those below it. */
type PlanNode = v.InferOutput<v.ObjectSchema<typeof planFields, undefined>> & {
  readonly Plans?: readonly PlanNode[] | undefined;
};

const planSchema: v.GenericSchema<unknown, PlanNode> = v.object({
  ...planFields,
  Plans: v.optional(v.array(v.lazy(() => planSchema))),
});

const explanationSchema = v.tuple([v.object({ Plan: planSchema, 'Execution Time': v.number() })]);

/** How PostgreSQL carried statements out. */
export interface Explanation {
  /** How each table was read, most rows first: by an index's name, or the whole table. */
  readonly ways: readonly string[];
  /** Rows of tables and indexes that were looked at, those passed over included. */
  readonly rows: number;
  /** Pages that were read, from memory or from the disk. */
  readonly pages: number;
  readonly ms: number;
}

/** Statements that read or write rows; the rest begins and ends transactions and sets bounds. */
const EXPLAINABLE = /^\s*\(?(?:with|select|insert|update|delete)\b(?! pg_advisory)/i;
/** The query of a cursor, which is opened in the statement before. */
const CURSOR = /^declare \w+ no scroll cursor for /i;

/**
 * The statements that a function of the product sends, in their order; what it changed is taken back.
 * @param run gets a transaction in the place of the database
 */
export async function captureStatements(
  database: Database,
  run: (transaction: Transaction) => Promise<unknown>,
): Promise<readonly Statement[]> {
  const statements: Statement[] = [];
  const listen = ({ sql, bindings = [] }: Partial<Statement> & Pick<Statement, 'sql'>) => {
    const explained = sql.replace(CURSOR, '');
    if (EXPLAINABLE.test(explained)) statements.push({ sql: explained, bindings });
  };
  const transaction = await database.transaction();
  database.on('query', listen);
  try {
    await run(transaction);
  } finally {
    database.off('query', listen);
    await transaction.rollback();
  }

  return statements;
}

const listNodes = (node: PlanNode): readonly PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(listNodes),
];

/** PostgreSQL tells the mean of the loops, such as those of parallel workers. */
const countRows = (node: PlanNode): number =>
  Math.round(
    (node['Actual Rows'] +
      node['Rows Removed by Filter'] +
      node['Rows Removed by Index Recheck']) *
      node['Actual Loops'],
  );

/** Where a node takes rows from, if not from the nodes below it. */
function nameWay(node: PlanNode): string | undefined {
  const { 'Node Type': type, 'Index Name': index, 'Relation Name': table } = node;
  if (index !== undefined) return index;

  return type === 'Seq Scan' && table !== undefined ? `all of ${table}` : undefined;
}

async function explain(client: pg.Client, { sql, bindings }: Statement): Promise<Explanation> {
  const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(
    `explain (analyze, buffers, format json) ${sql}`,
    [...bindings],
  );
  const [{ Plan: root, 'Execution Time': ms }] = v.parse(explanationSchema, rows[0]?.['QUERY PLAN']);
  const reads = listNodes(root)
    .flatMap((node) => {
      const way = nameWay(node);

      return way === undefined ? [] : [{ way, rows: countRows(node) }];
    })
    .sort((one, other) => other.rows - one.rows);

  return {
    ways: [...new Set(reads.map(({ way }) => way))],
    rows: reads.reduce((sum, read) => sum + read.rows, 0),
    pages: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
    ms,
  };
}

async function explainInOrder(
  client: pg.Client,
  statements: readonly Statement[],
): Promise<Explanation[]> {
  const explained: Explanation[] = [];
  await client.query('begin');
  try {
    for (const statement of statements) explained.push(await explain(client, statement));
  } finally {
    await client.query('rollback');
  }

  return explained;
}

/**
 * Carries statements out in their order, each on what those before it changed: twice, so that what they
 * read is in memory. Nothing stays changed.
 */
export async function explainStatements(
  client: pg.Client,
  statements: readonly Statement[],
): Promise<Explanation[]> {
  await explainInOrder(client, statements);

  return explainInOrder(client, statements);
}

/**
 * Has PostgreSQL explain and carry out every statement that the product's own function sends, with
 * the same parameters, and adds up. Nothing stays changed.
 * @param run the function, on the database it is given
 */
export async function explainWork(
  database: Database,
  databaseUrl: string,
  run: (transaction: Transaction) => Promise<unknown>,
): Promise<Explanation> {
  const statements = await captureStatements(database, run);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found = await explainStatements(client, statements);
    const add = (pick: (explanation: Explanation) => number) =>
      found.reduce((sum, explanation) => sum + pick(explanation), 0);

    return {
      ways: [...new Set(found.flatMap(({ ways }) => ways))],
      rows: add(({ rows }) => rows),
      pages: add(({ pages }) => pages),
      ms: add(({ ms }) => ms),
    };
  } finally {
    await client.end();
  }
}
