import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startLoad } from '../stack/steady-load.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { HEADLINE, startPublishedSite } from './publish-fixture.ts';

const FILE = 'pages/about.yaml';
const setHeadline = (words: string) => (text: string) => text.replace(/^headline: .*/m, `headline: ${words}`);

faultRow(90, 'Content is previewed, published, refused and rolled back under load: no visitor’s request fails', async () => {
  const { edit, publish, readHeadline, start, web, previewOrigin, listBuilds } = await startPublishedSite();
  const [script = ''] = /\/assets\/start[^"]*\.js/.exec(await (await fetch(web.origin)).text()) ?? [];
  const load = startLoad(web.origin);

  await edit(FILE, setHeadline('Words of our own'));
  const preview = start('--preview');
  await waitFor('the preview', () => preview.output().includes('Ctrl-C ends it'), 60_000);
  expect(await readHeadline(previewOrigin)).toBe('Words of our own');
  expect(await publish()).toMatchObject({ exitCode: 1, output: expect.stringContaining('another publish or preview is running') });
  expect(await preview.stop('SIGINT')).toBe(0);
  expect(await listBuilds()).toEqual([]);
  expect(await readHeadline()).toBe(HEADLINE);
  expect(await publish()).toMatchObject({ exitCode: 0, output: expect.stringContaining('Published.') });
  expect(await readHeadline()).toBe('Words of our own');

  await edit(FILE, (text) => `${text}colour: red\n`);
  expect(await publish()).toMatchObject({
    exitCode: 1,
    output: expect.stringMatching(/content\/pages\/about\.yaml:\d+: colour is not a known field/),
  });
  expect(await readHeadline()).toBe('Words of our own');
  await edit(FILE, (text) => setHeadline('Other words')(text.replace('colour: red\n', '')));
  expect(await publish()).toMatchObject({ exitCode: 0 });
  expect(await readHeadline()).toBe('Other words');
  expect((await fetch(web.origin + script)).status).toBe(200);

  expect(await publish('--back')).toMatchObject({ exitCode: 0 });
  expect(await readHeadline()).toBe('Words of our own');
  expect((await load.end()).failures).toEqual([]);
  expect(await listBuilds()).toHaveLength(['current', 'previous', 'one build', 'another'].length);
});

/** The messages that publish's steps start with, in order. The test kills publish a random time after one of them. */
const STEPS = ['Checking the content', 'Building the site', 'Rendering every page', 'Switching web'] as const;
const KILLS = 10;

faultRow(91, 'kill -9 of publish, ten times: the site serves the old or the new build, and the next publish succeeds', async (chance) => {
  const { edit, publish, readHeadline, start, web, untilUnlocked, listBuilds } = await startPublishedSite();
  const seen = ['Fresh eyes'];
  await edit(FILE, setHeadline('Fresh eyes'));
  await publish();
  const load = startLoad(web.origin);

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const words = `Words of kill ${kill}`;
    const step = chance.pick(STEPS);
    await edit(FILE, setHeadline(words));
    const killed = start();
    await waitFor(step, () => killed.output().includes(step), 60_000);
    await chance.letTimePass(1_000);
    await killed.stop('SIGKILL');
    seen.push(words);
    expect(seen).toContain(await readHeadline());
    // The processes that publish started exit on their own and release the lock.
    await untilUnlocked();
  }
  await edit(FILE, setHeadline('The end'));

  expect(await publish()).toMatchObject({ exitCode: 0 });
  expect(await readHeadline()).toBe('The end');
  // A visitor may get 503 while publish keeps the processors busy.
  expect((await load.end()).failures.filter((failure) => !failure.endsWith(' 503'))).toEqual([]);
  expect((await listBuilds()).filter((name) => name.startsWith('.'))).toEqual([]);
});

faultRow(92, 'publish --watch publishes a change and reports a mistake by mail, without an operator', async () => {
  const { edit, folder, readHeadline, start } = await startPublishedSite();
  const readMails = async () => {
    const names = await readdir(join(folder, 'mail')).catch(() => []);

    return (await Promise.all(names.map((name) => readFile(join(folder, 'mail', name), 'utf8')))).join('\n');
  };
  start('--watch');
  await edit(FILE, setHeadline('Written in a folder'));
  await waitFor('the page', async () => (await readHeadline()) === 'Written in a folder', 60_000);
  await waitFor('a mail', async () => (await readMails()).includes('The site was published'));

  await edit(FILE, (text) => `${text}colour: red\n`);
  await waitFor('another mail', async () => (await readMails()).includes('colour is not a known field'), 60_000);
  expect(await readHeadline()).toBe('Written in a folder');
});
