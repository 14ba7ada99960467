import { cp, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const rootFolder = fileURLToPath(new URL('../../', import.meta.url));
const copied = ['server', 'jobs', 'shared', 'migrations', 'tests/support', 'package.json'];
const linked = ['node_modules', 'dist'];

const MIGRATION = /^\d{14}_.*\.ts$/;

/**
 * Creates a newer version of the product, with one additional migration.
 * @param sql the migration's statements
 * @param before the previous version's folder
 */
export async function makeNextVersion(sql: string, before = rootFolder): Promise<{ readonly folder: string }> {
  const folder = makeTemporaryFolder();
  for (const name of copied) await cp(join(before, name), join(folder, name), { recursive: true });
  for (const name of linked) await symlink(join(rootFolder, name), join(folder, name));

  const names = (await readdir(join(folder, 'migrations'))).filter((name) => MIGRATION.test(name));
  const newest = names.sort().at(-1) ?? '';
  const time = Number(newest.slice(0, 14)) + 1;
  const name = `${time}_change_something.ts`;
  await writeFile(
    join(folder, 'migrations', name),
    `export const sql = ${JSON.stringify(sql)};\n`,
  );
  const schemaFile = join(folder, 'shared/node/database/schema.ts');
  const schema = await readFile(schemaFile, 'utf8');
  await writeFile(
    schemaFile,
    schema
      .replace(/NEWEST_MIGRATION = '.*'/, `NEWEST_MIGRATION = '${name}'`)
      .replace(/PREVIOUS_NEWEST_MIGRATION = '.*'/, `PREVIOUS_NEWEST_MIGRATION = '${newest}'`),
  );

  return { folder };
}
