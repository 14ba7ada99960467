import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian puts PostgreSQL's programs, by major; its server is not on PATH. */
const FOLDER = '/usr/lib/postgresql';

/** The folder of the newest server that the system has with its client tools: `bin` lies in it. */
export function findServerPrograms(): string | undefined {
  if (!existsSync(FOLDER)) return undefined;
  const programs = ['postgres', 'initdb', 'pg_dump', 'pg_restore'];

  return readdirSync(FOLDER)
    .sort((one, other) => Number(other) - Number(one))
    .map((major) => join(FOLDER, major))
    .find((folder) => programs.every((name) => existsSync(join(folder, 'bin', name))));
}
