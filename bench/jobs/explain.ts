import pg from 'pg';
import * as v from 'valibot';
import type { Database } from '../../shared/node/database.ts';

/** A statement as the product sent it. */
interface Statement {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** What PostgreSQL did for all statements of one piece of work. */
export interface Plan {
  /** Rows of tables and indexes that were looked at, those passed over included. */
  readonly rows: number;
  /** Pages that were read, from memory or from the disk. */
  readonly pages: number;
  readonly ms: number;
  /** How each table was read, most rows first: by an index's name, or the whole table. */
  readonly scans: readonly string[];
}

/** A node of EXPLAIN's JSON; `Plans` are those below it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number | undefined;
  readonly 'Rows Removed by Index Recheck'?: number | undefined;
  readonly 'Relation Name'?: string | undefined;
  readonly 'Index Name'?: string | undefined;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[] | undefined;
}

const planNodeSchema: v.GenericSchema<PlanNode> = v.object({
  'Node Type': v.string(),
  'Actual Rows': v.number(),
  'Actual Loops': v.number(),
  'Rows Removed by Filter': v.optional(v.number()),
  'Rows Removed by Index Recheck': v.optional(v.number()),
  'Relation Name': v.optional(v.string()),
  'Index Name': v.optional(v.string()),
  'Shared Hit Blocks': v.number(),
  'Shared Read Blocks': v.number(),
  Plans: v.optional(v.array(v.lazy(() => planNodeSchema))),
});

const explanationSchema = v.tuple([
  v.object({ Plan: planNodeSchema, 'Execution Time': v.number() }),
]);

/** Statements that read or write rows; the rest begins and ends transactions and sets bounds. */
const EXPLAINABLE = /^\s*\(?(?:with|select|insert|update|delete)\b/i;
/** The query of a cursor, which is opened in the statement before. */
const CURSOR = /^declare \w+ no scroll cursor for /i;

/** Takes back what was done to hear of it. */
class TakenBack extends Error {}

/**
 * The statements that a piece of work sends, in their order; what it changed is taken back.
 * @param work gets a transaction in the place of the database
 */
async function captureStatements(
  database: Database,
  work: (database: Database) => Promise<unknown>,
): Promise<readonly Statement[]> {
  const statements: Statement[] = [];
  const note = ({ sql, bindings = [] }: { sql: string; bindings?: readonly unknown[] }) => {
    const explained = sql.replace(CURSOR, '');
    if (EXPLAINABLE.test(explained)) statements.push({ sql: explained, bindings });
  };
  database.on('query', note);
  try {
    await database.transaction(async (transaction) => {
      await work(transaction);
      throw new TakenBack();
    });
  } catch (thrown) {
    if (!(thrown instanceof TakenBack)) throw thrown;
  } finally {
    database.off('query', note);
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
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0)) *
      node['Actual Loops'],
  );

/** Where a node takes rows from, if not from the nodes below it. */
function nameScan(node: PlanNode): string | undefined {
  const { 'Node Type': type, 'Index Name': index, 'Relation Name': table } = node;
  if (index !== undefined) return index;

  return type === 'Seq Scan' && table !== undefined ? `all of ${table}` : undefined;
}

async function explain(client: pg.Client, { sql, bindings }: Statement): Promise<Plan> {
  await client.query('begin');
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(
      `explain (analyze, buffers, format json) ${sql}`,
      [...bindings],
    );
    const [explanation] = v.parse(explanationSchema, rows[0]?.['QUERY PLAN']);
    const { Plan: root } = explanation;
    const scans = listNodes(root)
      .flatMap((node) => {
        const name = nameScan(node);

        return name === undefined ? [] : [{ name, rows: countRows(node) }];
      })
      .sort((one, other) => other.rows - one.rows);

    return {
      rows: scans.reduce((sum, scan) => sum + scan.rows, 0),
      pages: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
      ms: explanation['Execution Time'],
      scans: [...new Set(scans.map(({ name }) => name))],
    };
  } finally {
    await client.query('rollback');
  }
}

/**
 * Has PostgreSQL explain and carry out every statement that the product's own function sends, with
 * the same parameters. Nothing stays changed.
 * @param work the function, on the database it is given
 */
export async function explainWork(
  database: Database,
  databaseUrl: string,
  work: (database: Database) => Promise<unknown>,
): Promise<Plan> {
  const statements = await captureStatements(database, work);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const plans: Plan[] = [];
    for (const statement of statements) plans.push(await explain(client, statement));

    return {
      rows: plans.reduce((sum, { rows }) => sum + rows, 0),
      pages: plans.reduce((sum, { pages }) => sum + pages, 0),
      ms: plans.reduce((sum, { ms }) => sum + ms, 0),
      scans: [...new Set(plans.flatMap(({ scans }) => scans))],
    };
  } finally {
    await client.end();
  }
}
