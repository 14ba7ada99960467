import { fileURLToPath } from 'node:url';

const teller = fileURLToPath(new URL('tell-queries.ts', import.meta.url));

/** Options of Node under which a program tells each statement it sends to PostgreSQL. */
export const tellQueries: readonly string[] = ['--import', teller];

/** The statements a program with `tellQueries` has sent, from all that it wrote. */
export const readQueries = (output: string): string[] =>
  [...output.matchAll(/^query (".*")$/gm)].map(([, text = '']) => JSON.parse(text) as string);
