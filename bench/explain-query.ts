import type pg from 'pg';
import * as v from 'valibot';
import type { Database, Transaction } from '../shared/node/database.ts';

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
};

type Plan = v.InferOutput<v.ObjectSchema<typeof planFields, undefined>> & {
  readonly Plans?: readonly Plan[] | undefined;
};

const planSchema: v.GenericSchema<unknown, Plan> = v.object({
  ...planFields,
  Plans: v.optional(v.array(v.lazy(() => planSchema))),
});

const explanationSchema = v.tuple([v.object({ Plan: planSchema, 'Execution Time': v.number() })]);

/** How PostgreSQL carried a statement out. */
export interface Explanation {
  /** Indexes it used, and tables it read from end to end. */
  readonly ways: readonly string[];
  /** Rows it looked at, of tables and indexes. */
  readonly rows: number;
  readonly ms: number;
}

/** What isn't a statement of the product's own: Knex's and those around a cursor. */
const IS_AROUND = /^(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|set local|fetch|select pg_advisory)/i;
const CURSOR = /^declare \w+ no scroll cursor for /;

/**
 * Hears which statements a function of the product sends. Nothing of what it does stays.
 * @param run gets a transaction, which is taken back
 */
export async function captureStatements(
  database: Database,
  run: (transaction: Transaction) => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = [];
  const listen = ({ sql, bindings = [] }: Partial<Statement> & Pick<Statement, 'sql'>) => {
    if (!IS_AROUND.test(sql)) statements.push({ sql: sql.replace(CURSOR, ''), bindings });
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

function listNodes(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(listNodes)];
}

function describeWay(node: Plan): string | undefined {
  if (node['Index Name'] !== undefined) return node['Index Name'];

  return node['Node Type'] === 'Seq Scan' ? `all of ${node['Relation Name'] ?? '?'}` : undefined;
}

async function explainOnce(client: pg.Client, { sql, bindings }: Statement): Promise<Explanation> {
  await client.query('begin');
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(
      `explain (analyze, format json) ${sql}`,
      [...bindings],
    );
    const [found] = v.parse(explanationSchema, rows[0]?.['QUERY PLAN']);
    const nodes = listNodes(found.Plan);
    const ways = nodes.map(describeWay).filter((way) => way !== undefined);
    const read = nodes
      .filter(({ 'Node Type': type }) => type.endsWith('Scan'))
      .map((node) => (node['Actual Rows'] + node['Rows Removed by Filter']) * node['Actual Loops']);

    return {
      ways: [...new Set(ways)].sort(),
      rows: read.reduce((sum, count) => sum + count, 0),
      ms: found['Execution Time'],
    };
  } finally {
    await client.query('rollback');
  }
}

/** Carries a statement out twice, so that what it reads is in memory, and takes it back. */
export async function explainStatement(
  client: pg.Client,
  statement: Statement,
): Promise<Explanation> {
  await explainOnce(client, statement);

  return explainOnce(client, statement);
}
