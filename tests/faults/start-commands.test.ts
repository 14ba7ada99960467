import { execFile } from 'node:child_process';
import { cp, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createMigratedDatabase } from '../support/database.ts';
import { processEnvironment } from '../support/process-environment.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const rootFolder = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(await readFile(join(rootFolder, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

/** Runs a package.json script that must fail, and returns its error output. */
function runScript(
  name: string,
  { options = '', cwd = rootFolder, settings = {} }: {
    /** Additional Node options. */
    readonly options?: string;
    readonly cwd?: string;
    readonly settings?: Readonly<Record<string, string>>;
  } = {},
): Promise<string> {
  const command = scripts[name]?.replace(/^exec node /, `exec '${process.execPath}' ${options} `);

  return new Promise((resolve, reject) => {
    execFile(
      'sh',
      ['-c', command ?? ''],
      { cwd, env: { ...processEnvironment, ...settings } },
      (error, _output, errorOutput) => {
        if (error?.code === 1) resolve(errorOutput);
        else reject(new Error(`${name} ended with ${error?.code ?? 0}: ${errorOutput}`));
      },
    );
  });
}

test.each(['start', 'worker', 'migrate'])(
  'npm run %s reports in one sentence that Node is too old to run TypeScript, or that a setting is missing',
  async (name) => {
    expect(await runScript(name, { options: '--no-strip-types' })).toMatch(
      /^Node \S+ can't run this project: run "npm run setup", [^\n]*\n$/,
    );
    expect(await runScript(name)).toBe("The settings can't be used:\n  - DATABASE_URL is required\n");
  },
);

test('npm start and npm run migrate report in one sentence an unreachable server, an unusable address or a missing role', async () => {
  const databaseUrl = await createMigratedDatabase();
  const away = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
  const noRole = { DATABASE_URL: databaseUrl, DATABASE_APP_URL: databaseUrl.replace(/\/\/[^:@]+/, '//nobody') };

  expect(await runScript('migrate', { settings: away })).toBe(
    "PostgreSQL can't be used (ECONNREFUSED): is it running, and is DATABASE_URL right?\n",
  );
  expect(await runScript('migrate', { settings: noRole })).toBe(
    'The role in DATABASE_APP_URL or DATABASE_WEB_URL does not exist (42704).\n',
  );
  // No machine has this address, because it is reserved for documentation (RFC 5737).
  expect(await runScript('start', { settings: { ...away, HOST: '192.0.2.1', PORT: '3000' } })).toBe(
    'Cannot listen on HOST 192.0.2.1 and PORT 3000 (EADDRNOTAVAIL).\n',
  );
});

test('npm start reports in one sentence that the site has to be built first', async () => {
  const folder = makeTemporaryFolder();
  for (const name of ['server', 'shared', 'scripts', 'package.json']) {
    await cp(join(rootFolder, name), join(folder, name), { recursive: true });
  }
  await symlink(join(rootFolder, 'node_modules'), join(folder, 'node_modules'));
  const settings = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };

  expect(await runScript('start', { cwd: folder, settings })).toBe(
    'The site is not built: run "npm run build" first.\n',
  );
});
