import { OpsError } from '../cli/session.ts';
import type { Table } from './list-tables.ts';
import { readMajor, runTool } from './postgres-tools.ts';

/** What is in a dump, as `pg_restore --list` tells. */
export interface DumpList {
  readonly createdAt: Date;
  /** Major version of the server that was dumped. */
  readonly serverMajor: number;
  /** Tables whose rows are in it. */
  readonly tables: ReadonlyArray<Pick<Table, 'schema' | 'name'>>;
  /** One line for each thing in it, as `pg_restore --use-list` reads them. */
  readonly entries: readonly string[];
}

function readHeader(text: string, name: string): string {
  const [, value] = new RegExp(`^; +${name}:? (.*)$`, 'm').exec(text) ?? [];
  if (value === undefined) throw new OpsError(`The dump's list doesn't say its "${name}".`);

  return value;
}

/** @throws OpsError when it is no dump, or a damaged one */
export async function readDumpList(file: string): Promise<DumpList> {
  const text = await runTool('pg_restore', ['--list', file]);
  const tables = [...text.matchAll(/^\d+; \d+ \d+ TABLE DATA (\S+) (\S+) /gm)];

  return {
    createdAt: new Date(readHeader(text, 'Archive created at').replace(' UTC', 'Z')),
    serverMajor: readMajor(readHeader(text, 'Dumped from database version')),
    tables: tables.map(([, schema = '', name = '']) => ({ schema, name })),
    entries: text.split('\n').filter((line) => /^\d+;/.test(line)),
  };
}
