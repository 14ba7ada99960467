import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** The installation's files that the scripts read. */
const FILES = ['.env.example', 'Dockerfile', 'install', 'deploy'];

/**
 * Copies the scripts to a new folder, where `docker` and `docker-compose` are replaced.
 * @param docker both programs' responses: branches of a shell `case` over their arguments
 */
async function setUpFolder(docker = '') {
  const folder = makeTemporaryFolder();
  for (const name of FILES) {
    await cp(fileURLToPath(new URL(`../../${name}`, import.meta.url)), join(folder, name), { recursive: true });
  }
  const programs = join(folder, 'programs');
  await mkdir(programs);
  const script = `#!/bin/sh\ncase "$*" in\n'volume inspect'*) exit 1;;\n${docker}\nesac\n`;
  for (const name of ['docker', 'docker-compose']) await writeFile(join(programs, name), script, { mode: 0o755 });
  const env = { PATH: [programs, process.env['PATH']].join(delimiter) };

  return {
    folder,
    run: (...command: string[]) =>
      new Promise<{ readonly exitCode: unknown; readonly output: string }>((resolve) => {
        execFile('bash', command, { cwd: folder, env }, (error, stdout, stderr) =>
          resolve({ exitCode: error?.code ?? 0, output: stdout + stderr }),
        );
      }),
  };
}

test('install reports that the site is ready only if no required setting is missing', async () => {
  const { folder, run } = await setUpFolder();

  expect((await run('install')).output).toMatch(/\nSMTP_URL, the mail server, is missing in \.env\. [^]*\nReady\. To start:\n {2}docker compose up -d\n$/);
  const published = await run('install', '--url', 'https://www.example.com');
  expect(published.output).toMatch(/LEGAL_EMAIL, .* is missing in \.env\. .*\nSet LEGAL_EMAIL in \.env\. Then, to start:\n {2}docker compose up -d\n$/);
  expect(published.output).not.toContain('Ready');
  expect(published.output).not.toContain('certificate');
  expect((await run('install', '--tls', 'files')).output).toMatch(/put certificate\.pem and key\.pem into certificates\//);

  const settings = join(folder, '.env');
  await writeFile(join(folder, 'certificates/certificate.pem'), '');
  await writeFile(settings, `${await readFile(settings, 'utf8')}LEGAL_EMAIL=legal@example.com\nSMTP_URL=smtp://mail.example.com\n`);
  expect(await run('install')).toEqual({ exitCode: 0, output: 'Ready. To start:\n  docker compose up -d\n' });
});

test.each([
  { what: 'settings', command: '--no-deps settings', reason: 'this version refuses the settings' },
  { what: 'content', command: 'publish --upgrade', reason: 'your content cannot be published with this version' },
])('an upgrade that refuses the $what makes no backup', async ({ command, reason }) => {
  const { folder, run } = await setUpFolder(
    [
      "*' ps -q '*) echo 0123456789ab;;",
      "*'pg_restore --list') echo 'TABLE DATA public contact_submissions';;",
      `*'run --rm -T ${command}') exit 1;;`,
    ].join('\n'),
  );
  await writeFile(join(folder, '.env'), '');

  const { exitCode, output } = await run('deploy/upgrade.sh', '--no-build');

  expect(exitCode).toBe(1);
  expect(output).toContain(`${reason}, see above; nothing was changed.`);
  expect(await readdir(folder)).not.toContain('backups');
});

const BUILDS = "*config) echo '    build: {}';;";
const COMPOSE_1 = "'compose version') exit 1;;";

test.each([
  {
    what: 'a clone with Compose 1',
    files: ['.git'],
    docker: [BUILDS, COMPOSE_1],
    commands: [
      'git checkout <previous version>',
      'DOCKER_BUILDKIT=1 COMPOSE_DOCKER_CLI_BUILD=1 docker-compose --profile ops build && docker-compose up -d --remove-orphans',
    ],
  },
  {
    what: 'a release',
    files: [],
    docker: [],
    commands: ['# unpack website-<previous version>.tar.gz over this folder', 'docker compose up -d --remove-orphans'],
  },
  {
    what: 'a bundle with Compose 1',
    files: ['images.txt'],
    docker: [BUILDS, COMPOSE_1],
    commands: [
      '# unpack the previous bundle over this folder, and run deploy/load-bundle.sh',
      'docker-compose up -d --remove-orphans --no-build',
    ],
  },
])('a failed upgrade of $what shows the commands that restore the previous version', async ({ files, docker, commands }) => {
  const { folder, run } = await setUpFolder(
    [
      ...docker,
      "*'ps -q '*) echo 0123456789ab;;",
      "*'pg_restore --list') echo 'TABLE DATA public contact_submissions';;",
      "*'up -d '*) exit 1;;",
    ].join('\n'),
  );
  for (const name of ['.env', ...files]) await writeFile(join(folder, name), '');

  const { exitCode, output } = await run('deploy/upgrade.sh', '--no-build');

  expect(exitCode).toBe(1);
  expect(output).toContain(`To go back to it:\n\n${commands.map((command) => `  ${command}\n`).join('')}\nIf the data`);
});

test('an upgrade succeeds despite problems that only the doctor finds, and names the doctor’s command', async () => {
  const { folder, run } = await setUpFolder(
    [
      "*' ps -q '*) echo 0123456789ab;;",
      "*'pg_restore --list') echo 'TABLE DATA public contact_submissions';;",
      "*'ops doctor') exit 1;;",
    ].join('\n'),
  );
  await writeFile(join(folder, '.env'), '');
  await writeFile(join(folder, 'programs/curl'), '#!/bin/sh\necho 200\n', { mode: 0o755 });

  expect(await run('deploy/upgrade.sh', '--no-build')).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/The site answers, but the doctor reports problems, [^]*\n {2}docker compose run --rm ops doctor\n/),
  });
});

test('a PostgreSQL upgrade doesn’t stop any service if the disk has too little space for a copy of the old files', async () => {
  const { folder, run } = await setUpFolder(
    [
      "*' ps -q '*) echo 0123456789ab;;",
      "'inspect '*) echo sha256:0123456789ab;;",
      "*' delivery_hold') echo 0;;",
      "*'--entrypoint sh '*) printf '2048\\n1024\\n';;",
      "*' stop '*) echo stopped;;",
    ].join('\n'),
  );
  await writeFile(join(folder, '.env'), '');

  const { exitCode, output } = await run('deploy/upgrade-postgres.sh', '--no-build');

  expect(exitCode).toBe(1);
  expect(output).toContain('A copy of the old files needs 2 MB, but only 1 MB are free.\n\nNothing has changed.');
  expect(output).not.toContain('stopped');
});
