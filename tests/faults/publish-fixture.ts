import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findFreePort } from '../../scripts/free-port.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { startWeb } from '../support/delivery-fixture.ts';
import { copyProject } from './demo.ts';
import { startProgram, type SiteProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

/** The sample page's headline, which tests replace. */
export const HEADLINE = 'We began where the busywork was';

/**
 * A script that replaces the bundler, which takes a minute of processor time. It copies the build of the sample content
 * and replaces the headline. Other tests cover the build itself, and the stack test publishes a real build.
 */
const QUICK_BUILD = `
  import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
  const build = process.env.SITE_BUILD;
  const { aboutPage } = JSON.parse(readFileSync(build + '/content.json', 'utf8'));
  cpSync('dist', build, { recursive: true, filter: (file) => !/content.json|version/.test(file) });
  for (const file of globSync(build + '/server/**/*.{js,mjs}')) {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('${HEADLINE}', aboutPage.headline));
  }
  const entry = build + '/server/importBuild.cjs';
  writeFileSync(entry, readFileSync(entry, 'utf8').replace('../../node_modules', '../../../../node_modules'));
`;

const PUBLISH_TIMEOUT = 180_000;

/** Starts a project's web process with a folder for builds and a folder for the owner's content. */
export async function startPublishedSite() {
  const folder = await copyProject();
  const content = join(folder, 'owner');
  await cp(join(folder, 'content'), content, { recursive: true });
  await mkdir(join(folder, 'site'));
  await writeFile(join(folder, 'scripts', 'build-site.ts'), QUICK_BUILD);
  const settings = { DATABASE_URL: await createMigratedDatabase(), RATE_LIMIT_CONTACT: '10000/10m' };
  const web = await startWeb(settings, undefined, { folder });
  const secrets = join(folder, 'secrets');
  await mkdir(secrets);
  await writeFile(join(secrets, 'HUBSPOT_TOKEN'), 'secret');
  const previewPort = await findFreePort();
  const environment = {
    ...{ PATH: [join(folder, 'node_modules', '.bin'), process.env['PATH']].join(delimiter) },
    ...{ PORT: new URL(web.origin).port, CONTENT_DIR: content, MAIL_DIR: join(folder, 'mail'), ...settings },
    // Secrets are files, as in the stack.
    ...{ PREVIEW_PORT: String(previewPort), SECRETS_DIR: secrets, CRM_PROVIDER: 'hubspot' },
  };

  const start = (...args: string[]): SiteProcess => {
    const program = startProgram('bash', ['scripts/publish.sh', ...args], environment, { folder });
    onTestFinished(() => program.stop().then(() => undefined));

    return program;
  };
  const readHeadline = async (origin = web.origin) => /<h1>(.*)<\/h1>/.exec(await (await fetch(`${origin}/about`)).text())?.[1];

  return {
    ...{ folder, web, start, readHeadline, previewOrigin: `http://localhost:${previewPort}` },
    /** Runs publish and waits until it ends. */
    publish: async (...args: string[]) => {
      const program = start(...args);
      await waitFor('publish to end', program.hasExited, PUBLISH_TIMEOUT);

      return { exitCode: await program.stop(), output: program.output() };
    },
    untilUnlocked: () => waitFor('the lock', startProgram('flock', ['site/.lock', 'true'], {}, { folder }).hasExited, PUBLISH_TIMEOUT),
    /** Changes a file in the owner's folder. */
    edit: async (file: string, change: (text: string) => string): Promise<void> => {
      const path = join(content, file);
      await writeFile(path, change(await readFile(path, 'utf8')));
    },
    /** Lists the names in this version's build folder. */
    listBuilds: async () => {
      const [version = ''] = (await readdir(join(folder, 'site'))).filter((name) => !name.startsWith('.'));

      return (await readdir(join(folder, 'site', version))).sort();
    },
  };
}
