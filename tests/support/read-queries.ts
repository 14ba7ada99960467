import { fileURLToPath } from 'node:url';

const logger = fileURLToPath(new URL('log-queries.ts', import.meta.url));

/** Options of Node under which a program logs each statement it sends to PostgreSQL. */
export const logQueries: readonly string[] = ['--import', logger];

/** The statements a program with `logQueries` has sent, from all that it wrote. */
export const readQueries = (output: string): string[] =>
  [...output.matchAll(/^query (".*")$/gm)].map(([, text = '']) => JSON.parse(text) as string);
