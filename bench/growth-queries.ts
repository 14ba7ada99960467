import pg from 'pg';
import { captureStatements, explainStatements, type Explanation } from './explain-query.ts';
import type { History } from './growth-history.ts';
import { productQueries, type ProductQuery } from './product-queries.ts';
import { writeNumber, writeTable, type Cell } from './report.ts';

/** Below this many milliseconds a ratio of two times says nothing. */
const SHORTEST_MS = 1;

interface Comparison {
  readonly what: string;
  readonly reads: ProductQuery['reads'];
  readonly small: Explanation;
  readonly big: Explanation;
}

async function connect({ url }: History): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();

  return client;
}

async function compareAll(short: History, long: History): Promise<Comparison[]> {
  const clients = [await connect(short), await connect(long)] as const;
  const compared: Comparison[] = [];
  try {
    for (const { what, reads, run } of productQueries) {
      const statements = await captureStatements(short.database, run);
      if (statements.length === 0) throw new Error(`${what} sent no statement.`);
      const few = await explainStatements(clients[0], statements);
      const many = await explainStatements(clients[1], statements);
      for (const [index, small] of few.entries()) {
        const number = statements.length === 1 ? '' : ` (${index + 1})`;
        const big = many[index];
        if (big) compared.push({ what: what + number, reads, small, big });
      }
    }
  } finally {
    for (const client of clients) await client.end();
  }

  return compared;
}

function writeRow({ what, reads, small, big }: Comparison, data: string): Cell[] {
  const isShort = Math.max(small.ms, big.ms) < SHORTEST_MS;
  const growth = big.ms / Math.max(small.ms, SHORTEST_MS / 10);

  return [
    what,
    big.ways.join(', ').replaceAll('contact_submissions', 'requests'),
    ...[small.rows, big.rows, small.ms, big.ms],
    isShort ? '–' : `×${writeNumber(growth)}`,
    reads === 'all' ? data : (reads ?? '–'),
  ];
}

/**
 * Compares what PostgreSQL does for each statement of the product in a short and in a long history.
 * @returns a table in Markdown
 */
export async function compareQueries(small: History, big: History): Promise<string> {
  const compared = await compareAll(small, big);
  const [few, many] = [small, big].map(({ requests }) => writeNumber(requests));
  const data = `×${writeNumber(big.requests / small.requests)}`;

  return writeTable(
    [
      'statement',
      `way at ${many}`,
      ...[`rows read at ${few}`, `at ${many}`, `ms at ${few}`, `at ${many}`],
      ...['grows by', 'data grows by'],
    ],
    compared.map((comparison) => writeRow(comparison, data)),
  );
}
