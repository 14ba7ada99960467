import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startLoad } from '../stack/steady-load.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { startPublishedSite } from './publish-fixture.ts';

const FILE = 'pages/about.yaml';
const setHeadline = (words: string) => (text: string) => text.replace(/^headline: .*/m, `headline: ${words}`);

faultRow(90, 'Content is published, refused and taken back while visitors come in: none of them notices', async () => {
  const { edit, publish, readHeadline, start, web, listBuilds } = await startPublishedSite();
  const [script = ''] = /\/assets\/start[^"]*\.js/.exec(await (await fetch(web.origin)).text()) ?? [];
  const load = startLoad(web.origin);

  await edit(FILE, setHeadline('Words of our own'));
  const first = start();
  await waitFor('the first publish', () => first.output().includes('Checking the content'));
  expect(await publish()).toMatchObject({ exitCode: 1, output: expect.stringContaining('another publish or preview is running') });
  await waitFor('the first publish to end', first.hasExited, 180_000);
  expect(first.output()).toContain('Published.');
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

/** What publish writes in the order of its steps; it is killed some time after one of them. */
const STEPS = ['Checking the content', 'Rendering every page', 'Switching web'];

faultRow(91, 'Publish kill -9: the site stays up, of one build or the other, and the next publish works', async (chance) => {
  const { edit, publish, readHeadline, start, listBuilds } = await startPublishedSite();
  const seen = ['Fresh eyes'];
  await edit(FILE, setHeadline('Fresh eyes'));
  await publish();

  for (const step of STEPS) {
    await edit(FILE, setHeadline(step));
    const killed = start();
    await waitFor(step, () => killed.output().includes(step), 60_000);
    await chance.letTimePass(1_000);
    await killed.stop('SIGKILL');
    seen.push(step);
    expect(seen).toContain(await readHeadline());
    // What it had started ends by itself, and the lock with it.
    await waitFor('the lock', async () => !(await publish('--check')).output.includes('another publish'), 60_000, 500);
  }
  await edit(FILE, setHeadline('The end'));

  expect(await publish()).toMatchObject({ exitCode: 0 });
  expect(await readHeadline()).toBe('The end');
  expect((await listBuilds()).filter((name) => name.startsWith('.'))).toEqual([]);
});

faultRow(92, 'Publish by itself: a change is published, a mistake is mailed, and neither needs anybody', async () => {
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
